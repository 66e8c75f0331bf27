import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import TestSupport

struct Note: Codable, Hashable, Sendable {
    let id: Int
    let text: String
}

struct NoteMissing: HTTPProblem, Equatable {
    static let problemType = "tag:notes.example,2026:missing"
    let id: Int
    var status: HTTPResponse.Status { .notFound }
}

struct GetNote: IDQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("v1/notes/{id}")
        .throwing(NoteMissing.self)
        .responseHeaders([.cacheControl: "max-age=60"])
    let id: Int
}

struct FindNotes: Searchable {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("v1/notes").parameterNames(["searchText": "query"])
    let searchText: String?
}

struct AddNote: HTTPCommand {
    static let route: CommandRoute<Self> = .post("v1/notes")
    let note: Note
}

struct RemoveNote: IDCommand {
    static let route: CommandRoute<Self> = .delete("v1/notes/{id}").throwing(NoteMissing.self)
    let id: Int
}

/// Responds with the context of the message.
struct WhoAmI: HTTPQuery {
    struct Value: Codable, Equatable, Sendable {
        var id: String?
        var scopes: [String] = []
        var key: String?
        var hasDeadline = false
    }

    static let route: QueryRoute<Self> = .get("v1/me")
}

struct GetPicture: HTTPQuery {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("v1/picture")
}

struct PutPicture: BodyCommand {
    static let route: CommandRoute<Self> = .put("v1/picture")
    let body: HTTPBytes
}

struct Fail: HTTPQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("v1/fail")
}

/// Handled when the test opens the gate.
struct Wait: HTTPQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("v1/wait")
}

struct Secret: HTTPCommand {
    static let route: CommandRoute<Self> = .post("v1/secret")
    let text: String
}

extension MessageAPI {
    static let notes = MessageAPI.open {
        GetNote.self
        FindNotes.self
        AddNote.self
        RemoveNote.authorized(.scope("notes:remove"))
        WhoAmI.self
        GetPicture.self
        PutPicture.self
        Fail.self
        Wait.self
        Secret.authorized(.principal)
    }
}
