import Duet
import DuetHTTP
import Synchronization

/// A text whose length is its number, so that it can be cut off.
struct ReadNote: HTTPQuery, Hashable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("notes/{id}")
    let id: Int
}

struct AddNote: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .post("notes")
    let id: Int
}

struct PutNote: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .put("notes/{id}")
    let id: Int
}

struct RemoveNote: HTTPCommand, Hashable {
    static let route: CommandRoute<Self> = .delete("notes/{id}")
    let id: Int
}

/// How often each command was handled.
final class Ledger: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func count(_ message: some Command & Hashable) -> Int {
        counts.withLock { $0["\(message)"] ?? 0 }
    }

    func note(_ message: some Command & Hashable) {
        counts.withLock { $0["\(message)", default: 0] += 1 }
    }
}

struct ReadNoteHandler: QueryHandler {
    func handle(_ query: ReadNote) -> String {
        String(repeating: "\(query.id) ", count: 100)
    }
}

struct NotingHandler<Message: Command & Hashable>: CommandHandler {
    let ledger: Ledger

    init(_ message: Message.Type, _ ledger: Ledger) {
        self.ledger = ledger
    }

    func handle(_ command: Message) {
        ledger.note(command)
    }
}
