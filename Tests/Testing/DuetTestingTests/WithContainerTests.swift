import Duet
import DuetDependencies
import DuetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WithContainerTests {
    private let journal = Journal()

    @Test
    func `a container is built from several modules`() async throws {
        try await withContainer(of: LogModule(journal: journal), GreetingModule()) { container in
            let dispatcher = try await container.dispatcher
            #expect(try await dispatcher.dispatch(Greet(name: "Ada")) == "Hello, Ada")
        }
        #expect(journal.entries == ["Ada", "closed"])
    }

    @Test
    func `an override replaces a registration and is disposed of like one`() async throws {
        let spy = SpyDispatcher()
        spy.stub(Greet.self, returning: "Hi")
        try await withContainer(
            of: LogModule(journal: journal),
            GreetingModule(),
            overriding: Override((any Dispatcher).self) { spy },
            Override((any Log).self) { [journal] in JournalLog(journal: journal, lastWord: "fake closed") }
        ) { container in
            let greeter: Greeter = try await container.resolve()
            #expect(try await greeter.greet("Bob") == "Hi")
            let log: any Log = try await container.resolve()
            log.write("fake")
        }
        #expect(spy.messageNames == [Greet.messageName])
        #expect(journal.entries == ["fake", "fake closed"])
    }

    @Test
    func `the value of the body is returned, Sendable or not`() async throws {
        let notes = try await withContainer(of: LogModule(journal: journal)) { _ in Pad() }
        notes.text = "mine"
        #expect(notes.text == "mine")
    }

    @Test
    func `the container is disposed of when the body fails, and the body's error is thrown`() async throws {
        await #expect(throws: Broken()) {
            try await withContainer(of: LogModule(journal: journal)) { container in
                _ = try await container.resolve((any Log).self)
                throw Broken()
            }
        }
        #expect(journal.entries == ["closed"])
    }

    @Test
    func `the container is disposed of when the test is canceled`() async throws {
        let journal = journal
        let result = await canceled {
            try await withContainer(of: LogModule(journal: journal)) { container in
                _ = try await container.resolve((any Log).self)
                try Task.checkCancellation()
            }
        }
        #expect(throws: CancellationError.self) { try result.get() }
        // The log would have another entry if its task were canceled.
        #expect(journal.entries == ["closed"])
    }

    @Test
    func `nothing can be resolved from a container that outlives the body`() async throws {
        let kept = try await withContainer(of: LogModule(journal: journal)) { $0 }
        let error = await #expect(throws: ResolutionError.self) { try await kept.resolve((any Log).self) }
        #expect(error?.path == ["Log"])
    }

    @Test
    func `a module that lacks another one fails before the body runs`() async throws {
        let error = await #expect(throws: InvalidContainer.self) {
            try await withContainer(of: GreetingModule()) { _ in Issue.record("There is no container.") }
        }
        let problem = try #require(error?.problems.first)
        #expect("\(problem)".hasPrefix("GreetHandler → Log: not registered."))
    }

    @Test
    func `an override without a registration fails before the body runs`() async throws {
        let error = await #expect(throws: InvalidContainer.self) {
            try await withContainer(
                of: LogModule(journal: journal),
                overriding: Override { Pad.Cover() }
            ) { _ in Issue.record("There is no container.") }
        }
        let problem = try #require(error?.problems.first)
        #expect("\(problem)".contains("there is nothing to replace"))
    }

    @Test
    func `concurrent tests share nothing`() async throws {
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let journal = Journal()
                    try await withContainer(
                        of: LogModule(journal: Journal()),
                        GreetingModule(),
                        overriding: Override((any Log).self) { JournalLog(journal: journal, lastWord: "\(number)") }
                    ) { container in
                        let dispatcher = try await container.dispatcher
                        for _ in 0..<number { _ = try await dispatcher.dispatch(Greet(name: "x")) }
                    }
                    #expect(journal.entries.last ?? "0" == "\(number)")
                    return journal.entries.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // There is one entry for each greeting, and one for the last word. Without a greeting, no log was created.
        #expect(counts.sorted() == [0] + (2...50))
    }

    @Test
    func `all instances of the container are released afterward`() async throws {
        let leaks = LeakTracker()
        try await withContainer(of: LogModule(journal: journal), GreetingModule()) { container in
            leaks.track(try await container.resolve(Greeter.self))
            try await container.withScope { scope in _ = leaks.track(try await scope.resolve(Desk.self)) }
            #expect(leaks.alive.count == 1)
        }
        #expect(leaks.count == 2)
        #expect(leaks.alive == [])
    }
}

private protocol Log: Sendable {
    func write(_ line: String)
}

private struct JournalLog: Log, Disposable {
    let journal: Journal
    var lastWord = "closed"

    func write(_ line: String) { journal.write(line) }

    func dispose() async { journal.write(Task.isCancelled ? "canceled" : lastWord) }
}

private struct LogModule: ContainerModule {
    let journal: Journal

    func register(in builder: ContainerBuilder) {
        builder.singleton((any Log).self) { [journal] in JournalLog(journal: journal) }
    }
}

private struct GreetingModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton { (dispatcher: any Dispatcher) in Greeter(dispatcher: dispatcher) }
        builder.scoped { (greeter: Greeter) in Desk(greeter: greeter) }
        builder.handlers { GreetHandler.self }
    }
}

private struct Greet: Query {
    typealias Value = String
    var name: String
}

private struct GreetHandler: QueryHandler, Resolvable {
    let log: any Log

    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Log).self)] }

    init(from scope: Scope) async throws {
        log = try await scope.resolve()
    }

    func handle(_ query: Greet) async throws -> String {
        log.write(query.name)
        return "Hello, \(query.name)"
    }
}

private final class Greeter: Sendable {
    let dispatcher: any QueryDispatcher

    init(dispatcher: any QueryDispatcher) {
        self.dispatcher = dispatcher
    }

    func greet(_ name: String) async throws -> String {
        try await dispatcher.dispatch(Greet(name: name))
    }
}

private final class Desk: Sendable {
    let greeter: Greeter

    init(greeter: Greeter) {
        self.greeter = greeter
    }
}

private struct Broken: Error, Equatable {}

private final class Pad {
    struct Cover: Sendable {}

    var text = ""
}

private final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func write(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
