package import Duet
package import DuetCaching
import DuetContext
package import DuetHTTP
import HTTPTypes
import Synchronization

// The messages and the handlers of a list that several servers serve.

struct Note: Codable, Hashable, Sendable {
    let id: String
    let text: String
}

struct NoteMissing: HTTPProblem, Equatable {
    static let problemType = "tag:notes.example,2026:missing"
    let id: String
    var status: HTTPResponse.Status { .notFound }
}

struct ListNotes: HTTPQuery, Hashable {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("shelves/{shelf}/notes").live()
    let shelf: String
}

struct GetNote: HTTPQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("shelves/{shelf}/notes/{id}").throwing(NoteMissing.self)
    let shelf: String
    let id: String
}

struct AddNote: HTTPCommand, Validatable {
    static let route: CommandRoute<Self> = .put("shelves/{shelf}/notes/{id}")
    let shelf: String
    let id: String
    let text: String

    struct Blank: Error, CustomStringConvertible {
        var description: String { "The text of a note must not be blank." }
    }

    func validate() throws { if text.allSatisfy(\.isWhitespace) { throw Blank() } }
}

struct RemoveNote: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("shelves/{shelf}/notes/{id}")
    let shelf: String
    let id: String
}

struct Fail: HTTPQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("fail")
}

/// Handled until it is canceled.
struct Wait: HTTPQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("wait")
}

extension MessageAPI {
    package static let shelves = MessageAPI("shelves") {
        ListNotes.authorized(.open)
        GetNote.authorized(.open)
        AddNote.authorized(.principal)
        RemoveNote.authorized(.scope("notes:remove"))
        Fail.authorized(.open)
        Wait.authorized(.open)
    }
}

/// The notes of all shelves, in memory.
package final class Shelves: Sendable {
    private let notes = Mutex<[String: [Note]]>([:])

    package init() {}

    /// The tokens of a writer and of an editor, who also removes notes.
    package static var tokens: StaticTokenAuthenticator {
        StaticTokenAuthenticator([
            TokenHash(of: "writer"): Principal(id: "writer"),
            TokenHash(of: "editor"): Principal(id: "editor", scopes: ["notes:remove"]),
        ])
    }

    /// Options with which the contract is checked.
    package static var options: MountOptions {
        MountOptions(cors: CORSPolicy(origins: ["https://example.org"]), maximumJSONBody: 1_024)
    }

    /// Options that end each stream of events soon.
    package static var briefOptions: MountOptions {
        MountOptions(live: LiveOptions(maximumDuration: .milliseconds(100)))
    }

    /// Handles the messages, and reports the changes of a shelf.
    package func dispatcher() throws -> CachingDispatcher {
        try StandardDispatcher {
            Handle<ListNotes> { [self] query in list(query.shelf) }
            Handle<GetNote> { [self] query in
                guard let note = list(query.shelf).first(where: { $0.id == query.id }) else {
                    throw NoteMissing(id: query.id)
                }
                return note
            }
            Handle<Fail> { _ in throw Secret() }
            Handle<Wait> { _ in
                try await ContinuousClock().sleep(for: .seconds(3_600))
                return Note(id: "", text: "")
            }
            Perform<AddNote> { [self] in put(Note(id: $0.id, text: $0.text), $0.id, on: $0.shelf) }
            Perform<RemoveNote> { [self] in put(nil, $0.id, on: $0.shelf) }
        }
        .caching(in: .memory(limit: .entries(1_000))) {
            Cache(ListNotes.self, .untilInvalidated)
            Invalidate(ListNotes.self, after: AddNote.self) { $0.shelf == $1.shelf }
            Invalidate(ListNotes.self, after: RemoveNote.self) { $0.shelf == $1.shelf }
        }
    }

    private func list(_ shelf: String) -> [Note] { notes.withLock { $0[shelf] ?? [] } }

    private func put(_ note: Note?, _ id: String, on shelf: String) {
        notes.withLock { notes in
            let others = notes[shelf, default: []].filter { $0.id != id }
            notes[shelf] = others + (note.map { [$0] } ?? [])
        }
    }
}

/// An error whose text must not reach a client.
private struct Secret: Error, CustomStringConvertible {
    var description: String { "password=hunter2" }
}

private struct Handle<Message: Query>: QueryHandler {
    let value: @Sendable @concurrent (Message) async throws -> Message.Value

    func handle(_ query: Message) async throws -> Message.Value { try await value(query) }
}

private struct Perform<Message: Command>: CommandHandler {
    let action: @Sendable @concurrent (Message) async throws -> Void

    func handle(_ command: Message) async throws { try await action(command) }
}
