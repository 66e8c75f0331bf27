//! What an API refuses when it is made, and what it says then.

import DuetHTTP

// snippet.hide
struct Speaker: Codable {
    let id: String
}

// snippet.show
struct LoadSpeaker: HTTPQuery {
    typealias Value = Speaker
    static let path = "speakers/{id}"
    let name: String
}

struct FindSpeaker: HTTPQuery {
    typealias Value = Speaker
    static let path = "speakers/{name}"
    let name: String
}

struct ListSpeakers: Searchable {
    struct Filter: Codable {
        let query: Int
    }

    typealias Value = [Speaker]
    static let path = "speakers"
    let query: String?
    let filter: Filter
}

do {
    _ = try HTTPAPI {
        LoadSpeaker.self
        FindSpeaker.self
        ListSpeakers.self
    }
    // snippet.hide
    preconditionFailure("It has faults.")
    // snippet.show
} catch {
    print(error)
}
