//! What an API refuses when it is made, and what it says then.

import Duet
import DuetHTTP

struct Speaker: Codable {
    let id: String
}

// snippet.declarations
struct LoadSpeaker: HTTPQuery {
    typealias Value = Speaker
    static let route: QueryRoute<Self> = .get("speakers/{id}")
    let name: String
}

struct FindSpeaker: HTTPQuery {
    typealias Value = Speaker
    static let route: QueryRoute<Self> = .get("speakers/{name}")
    let name: String
}

struct ListSpeakers: Searchable {
    struct Filter: Codable {
        let searchText: Int
    }

    typealias Value = [Speaker]
    static let route: QueryRoute<Self> = .get("speakers")
    let searchText: String?
    let filter: Filter
}

do {
    _ = try HTTPAPI {
        LoadSpeaker.self
        FindSpeaker.self
        ListSpeakers.self
    }
} catch {
    print(error)
}
// snippet.end
