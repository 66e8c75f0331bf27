import Duet
import DuetCaching
import DuetTesting
import Foundation
import Synchronization
import TestSupport

/// A dispatcher in place of a server, which has notes and lets a test decide when each load ends.
final class Server: Dispatcher {
    private struct State {
        var notes: [String: [String]] = ["home": ["Milk"]]
        var loads = 0
        var canceledLoads = 0
        var failure: (any Error)?
        var failureAfterCommand: (any Error)?
        var gates: [(gate: Gate, evenIfCanceled: Bool)] = []
    }

    private let state = Mutex(State())

    /// The number of received queries.
    var loads: Int { state.withLock(\.loads) }

    /// The number of held queries that were canceled.
    var canceledLoads: Int { state.withLock(\.canceledLoads) }

    var notes: [String] {
        get { state.withLock { $0.notes["home"] ?? [] } }
        set { state.withLock { $0.notes["home"] = newValue } }
    }

    var failure: (any Error)? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The error of queries after the next command.
    var failureAfterCommand: (any Error)? {
        get { state.withLock(\.failureAfterCommand) }
        set { state.withLock { $0.failureAfterCommand = newValue } }
    }

    /// Holds the next load, after it has read the notes, until the gate is opened.
    func holdNext(evenIfCanceled: Bool = false) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates.append((gate, evenIfCanceled)) }
        return gate
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if let command = message as? AddNote {
            let failure = state.withLock { state in
                state.notes[command.folder, default: []].append(command.text)
                return state.failure
            }
            if let failure { throw failure }
        }
        if M.self is any Command.Type {
            state.withLock { state in
                if let failure = state.failureAfterCommand.take() { state.failure = failure }
            }
            guard let done = () as? M.Value else { throw NoConnection() }
            return done
        }
        let (notes, gate, failure) = state.withLock { state in
            state.loads += 1
            let folder = (message as? LoadNotes)?.folder ?? "home"
            let gate = state.gates.isEmpty ? nil : state.gates.removeFirst()
            return (state.notes[folder] ?? [], gate, state.failure)
        }
        if let (gate, evenIfCanceled) = gate {
            do {
                if evenIfCanceled { try await Task { try await gate.pass() }.value } else { try await gate.pass() }
            } catch {
                state.withLock { $0.canceledLoads += 1 }
                throw error
            }
        }
        if let failure { throw failure }
        if let query = message as? LoadNote, let value = "Note \(query.id)" as? M.Value { return value }
        guard let value = notes as? M.Value else { throw NoConnection() }
        return value
    }
}

/// A server behind a cache of its notes.
struct World {
    let server = Server()
    let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))
    let clock = ManualClock()
    let dispatcher: CachingDispatcher

    init(_ policy: CachePolicy<[String]> = .maxAge(.seconds(60))) throws {
        try self.init {
            Cache(LoadNotes.self, policy)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    init(
        in memory: CacheMemory = .memory(limit: .entries(100)),
        @ListBuilder<CacheRule> rules: () -> [CacheRule]
    ) throws {
        dispatcher = try server.caching(in: memory, now: date.now, clock: clock, rules)
    }

    func notes() async throws -> [String] { try await dispatcher.dispatch(LoadNotes()) }

    func result(_ mode: ReadMode = .cacheFirst) async throws -> ReadResult<[String]> {
        try await dispatcher.read(LoadNotes(), mode)
    }
}
