//! A client without rules of a server whose handlers read from a tracked database.

import Duet
import DuetCaching
import DuetHTTP

struct LoadTalk: HTTPQuery, Hashable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("talks/{id}")
    let id: Int
}

struct RenameTalk: HTTPCommand {
    static let route: CommandRoute<Self> = .put("talks/{id}")
    let id: Int
    let title: String
}

func makeTalks(_ server: BaseURL, _ client: any HTTPClient) throws -> CachingDispatcher {
    // snippet.client
    let talks = try HTTPDispatcher(baseURL: server, client: client).caching(in: .memory(limit: .entries(1_000))) {
        Cache(LoadTalk.self)
    }
    // snippet.end
    return talks
}
