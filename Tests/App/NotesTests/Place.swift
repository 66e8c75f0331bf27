import Duet
import DuetAsyncHTTPClient
import DuetContext
import DuetDependencies
import DuetHTTP
import DuetTesting
import Hummingbird
import TestSupport

/// A place where the messages of the notes are handled.
enum Place: CaseIterable {
    /// In this process, by handlers without a container.
    case handlers
    /// In this process, by the handlers of a container.
    case container
    /// Behind a router, as requests without a socket.
    case router
    /// Behind a server on a free local port.
    case server

    /// Runs `body` for Ada, with a dispatcher to the notes of this place.
    func run<Value>(
        audit trail: InMemoryAuditTrail = InMemoryAuditTrail(),
        _ body: (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .handlers:
            try await withPrincipal(.ada) { try await body(Self.assembled(trail)) }
        case .container:
            try await withPrincipal(.ada) { try await Self.withNotes(audit: trail, body) }
        case .router:
            try await Self.withNotes(audit: trail) { notes in
                try await body(Self.remote(RouterHTTPClient(Router.notes(notes)), "http://notes.example"))
            }
        case .server:
            try await Self.withNotes(audit: trail) { notes in
                try await withServer(Router.notes(notes).buildResponder()) { port in
                    try await withNIOHTTPClient(clock: ManualClock()) { client in
                        try await body(Self.remote(client, "http://127.0.0.1:\(port)"))
                    }
                }
            }
        }
    }

    /// Runs `body` with the dispatcher of a new container.
    static func withNotes<Value>(
        audit trail: InMemoryAuditTrail = InMemoryAuditTrail(),
        _ body: (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        let recorded = Override((any AuditTrail).self) { trail }
        return try await withContainer(of: NotesModule(), overriding: recorded) { container in
            try await body(container.dispatcher)
        }
    }

    private static func assembled(_ trail: any AuditTrail) throws -> any Dispatcher {
        let store = NoteStore()
        return try StandardDispatcher {
            AddNoteHandler(store: store)
            RenameNoteHandler(store: store)
            ListNotesHandler(store: store)
        }
        .with(AuditLog(trail: trail)).validating()
    }

    private static func remote(_ client: some HTTPClient, _ url: String) throws -> any Dispatcher {
        let client = client.authenticated(by: .bearer("ada-secret"))
        return try HTTPDispatcher(.notes, baseURL: BaseURL(url), client: client)
    }
}
