import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import Foundation
import HTTPTypes
import Hummingbird

extension AddNote: HTTPCommand {
    static let route: CommandRoute<Self> = .put("notes/{id}")
}

extension RenameNote: IDCommand {
    static let route: CommandRoute<Self> = .patch("notes/{id}").throwing(NoteNotFound.self)
}

extension ListNotes: Searchable {
    static let route: QueryRoute<Self> = .get("notes")
        .parameterNames(["searchText": "q"])
        .parameterDefaults(["limit": "20"])
        .responseHeaders([.cacheControl: "max-age=30"])
}

extension NoteNotFound: HTTPProblem {
    static let problemType = "tag:notes.example,2026:note-not-found"
    var status: HTTPResponse.Status { .notFound }
    var detail: String? { "There is no note \(id)." }
}

extension MessageAPI {
    /// The notes, for their server and for its clients.
    static let notes = MessageAPI("notes") {
        AddNote.authorized(.scope("notes:write"))
        RenameNote.authorized(.scope("notes:write"))
        ListNotes.authorized(.open)
    }
}

// MARK: The server

extension Principal {
    /// May write notes; her token is `ada-secret`.
    static let ada = Principal(id: "ada", scopes: ["notes:write"])
}

extension Router<BasicRequestContext> {
    /// A router that serves the notes of a dispatcher.
    static func notes(_ dispatcher: any Dispatcher) throws -> Router {
        let router = Router()
        let tokens = StaticTokenAuthenticator([TokenHash(of: "ada-secret"): .ada])
        try router.mount(.notes, dispatcher, authenticator: tokens)
        return router
    }
}
