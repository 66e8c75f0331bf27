import Duet
import DuetHTTP
import Foundation
import HTTPTypes

/// All kinds of properties that a query can hold.
struct FindThings: HTTPQuery, Hashable, Filterable, Orderable, Pageable, Searchable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("v1/things/{kind}").parameterNames(["searchText": "query"])

    enum Kind: String, Codable {
        case large, small
    }

    struct Filter: Codable, Hashable {
        let name: String?
        let tags: [String]
        let since: Date?
        let price: Double?
    }

    enum Order: Int, Codable {
        case name = 1
        case age
    }

    let kind: Kind
    let filter: Filter?
    let order: Order
    let page: Int?
    let searchText: String?
    let ids: [UUID]
    let flag: Bool
}

/// Keys that differ from their names, and two placeholders.
struct FindPerson: HTTPQuery, Hashable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("v1/people/{first_name}/of/{team_id}")
        .parameterDefaults(["page_size": "10"])
        .coding(HTTPCoding(keys: .snakeCase, dates: .millisecondsSince1970))
    let firstName: String
    let teamID: UInt8
    let createdAt: Date?
    let pageSize: Int
}

/// A query with a payload of nested JSON.
struct FindThread: HTTPQuery, Hashable {
    typealias Value = Post
    static let route: QueryRoute<Self> = .get("v1/threads/{id}")
    let id: Int
}

/// A body of any depth.
struct WriteThread: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .post("v1/threads/{id}")
    let id: Int
    let text: String
    let replies: [Post]
    let createdAt: Date?
    let extra: [String: JSONValue]?
}

struct Post: Codable, Hashable {
    let text: String
    let replies: [Post]
}

/// Bytes.
struct Upload: BodyCommand, Hashable {
    static let route: CommandRoute<Self> = .put("v1/files/{name}")
    let name: String
    let language: String?
    let body: HTTPBytes
}

/// Parameters of a command.
struct RemoveThread: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .delete("v1/threads/{id}")
    let id: Int
    let reasons: [String]
    let at: URL?
}

/// A literal beside a placeholder.
struct FindLatest: HTTPQuery, Hashable {
    typealias Value = Post
    static let route: QueryRoute<Self> = .get("v1/threads/latest")
}

/// A declared problem.
struct NameTaken: HTTPProblem, Hashable {
    static let problemType = "urn:fuzz:taken"
    let by: String
    let until: Date?
    var status: HTTPResponse.Status { .conflict }
}

let fuzzedServer = URL(string: "http://server") ?? URL(filePath: "/")

let fuzzedMessages = MessageAPI("fuzzed", throwing: NameTaken.self, authorized: .open) {
    FindThings.self
    FindPerson.self
    FindThread.self
    WriteThread.self
    Upload.self
    RemoveThread.self
    FindLatest.self
}

let fuzzedAPI: HTTPAPI = {
    do { return try HTTPAPI(fuzzedMessages) } catch { preconditionFailure("\(error)") }
}()
