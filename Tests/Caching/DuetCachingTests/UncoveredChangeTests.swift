import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Synchronization
import Testing

@Suite
struct UncoveredChangeTests {
    private let server = Server()

    private func dispatcher(@ListBuilder<CacheRule> _ rules: () -> [CacheRule]) throws -> CachingDispatcher {
        try server.caching(in: .memory(limit: .entries(10)), rules)
    }

    @Test func `a query that changed without a rule is named with the rule that is missing`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        _ = try await dispatcher.dispatch(LoadNotes())
        _ = try await dispatcher.dispatch(LoadNotes(folder: "work"))
        let changes = try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread"))
        #expect(changes.map(\.query) == [#"DuetCachingTests.LoadNotes(folder: "home")"#])
        #expect(changes.first?.description.hasSuffix("Add: Invalidate(LoadNotes.self, after: AddNote.self)") == true)
    }

    @Test func `a rule covers its queries`() async throws {
        let dispatcher = try dispatcher {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")) == [])
    }

    @Test func `a rule that chooses the wrong queries is found`() async throws {
        let dispatcher = try dispatcher {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder != $1.folder }
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")).count == 1)
    }

    @Test func `a value that was loaded again after the change is covered`() async throws {
        let reader = Mutex<CachingDispatcher?>(nil)
        let reloading = ReadAfterCommands {
            _ = try await reader.withLock(\.self)?.read(LoadNotes(), .fresh)
        }
        let dispatcher = try server.with(reloading).caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .untilInvalidated)
        }
        reader.withLock { $0 = dispatcher }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")) == [])
    }

    @Test(arguments: [(Duration.zero, Duration.zero, 0), (.zero, .seconds(1), 1), (.seconds(1), .zero, 1)])
    func `only a value that is returned without a load needs a rule`(
        age: Duration,
        whileRevalidating: Duration,
        count: Int
    ) async throws {
        let dispatcher = try dispatcher {
            Cache(LoadNotes.self, .maxAge(age).staleWhileRevalidate(whileRevalidating))
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        #expect(try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread")).count == count)
    }

    @Test func `a value that becomes an error has changed`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        _ = try await dispatcher.dispatch(LoadNotes())
        server.failureAfterCommand = NoConnection()
        #expect(try await dispatcher.uncoveredChanges(after: RemoveNote()).count == 1)
    }

    @Test func `a value that differs at each load blames no command`() async throws {
        let spy = SpyDispatcher()
        let number = Mutex(0)
        spy.stub(LoadNotes.self) { _ in
            number.withLock {
                $0 += 1; return ["\($0)"]
            }
        }
        spy.stub(AddNote.self)
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        let changes = try await dispatcher.uncoveredChanges(after: AddNote(text: "Bread"))
        let text = """
            DuetCachingTests.LoadNotes(folder: "home") has another value at each load, so that its rules cannot be \
            checked.
            """
        #expect(changes.map(\.description) == [text])
    }

    @Test func `the error of the command is thrown`() async throws {
        let dispatcher = try dispatcher { Cache(LoadNotes.self, .untilInvalidated) }
        server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await dispatcher.uncoveredChanges(after: AddNote()) }
    }
}

/// Runs a function after each command, as an observer that loads a changed value does.
private struct ReadAfterCommands: Middleware {
    let read: @Sendable () async throws -> Void

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let value = try await next.dispatch(message)
        if M.self is any Command.Type { try await read() }
        return value
    }
}
