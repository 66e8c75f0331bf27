import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule

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
    static let path = "v1/notes/{id}"
    static let problems: [any HTTPProblem.Type] = [NoteMissing.self]
    static let responseHeaders: HTTPFields = [.cacheControl: "max-age=60"]
    let id: Int
}

struct FindNotes: Searchable {
    typealias Value = [Note]
    static let path = "v1/notes"
    let query: String?
}

struct AddNote: HTTPCommand {
    static let path = "v1/notes"
    static let method = CommandMethod.post
    static let authorize: AuthorizationRule<AddNote> = .open
    let note: Note
}

struct RemoveNote: IDCommand {
    static let path = "v1/notes/{id}"
    static let method = CommandMethod.delete
    static let problems: [any HTTPProblem.Type] = [NoteMissing.self]
    static let authorize: AuthorizationRule<RemoveNote> = .scope("notes:remove")
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

    static let path = "v1/me"
}

struct GetPicture: HTTPQuery {
    typealias Value = HTTPBytes
    static let path = "v1/picture"
}

struct PutPicture: BodyCommand {
    static let path = "v1/picture"
    static let method = CommandMethod.put
    static let authorize: AuthorizationRule<PutPicture> = .open
    let body: HTTPBytes
}

struct Fail: HTTPQuery {
    typealias Value = Note
    static let path = "v1/fail"
}

/// Handled when the test opens the gate.
struct Wait: HTTPQuery {
    typealias Value = Note
    static let path = "v1/wait"
}

struct Secret: HTTPCommand {
    static let path = "v1/secret"
    static let method = CommandMethod.post
    static let authorize: AuthorizationRule<Secret> = .principal
    let text: String
}

extension HTTPAPI {
    static func notes() throws -> HTTPAPI {
        try HTTPAPI(HTTPSettings(authorize: .open)) {
            GetNote.self
            FindNotes.self
            AddNote.self
            RemoveNote.self
            WhoAmI.self
            GetPicture.self
            PutPicture.self
            Fail.self
            Wait.self
            Secret.self
        }
    }
}
