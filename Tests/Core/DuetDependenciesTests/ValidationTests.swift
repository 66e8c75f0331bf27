import Duet
import DuetDependencies
import Testing

@Suite struct ValidationTests {
    private struct A: Sendable {}
    private struct B: Sendable {}
    private struct C: Sendable {}
    private let builder = ContainerBuilder()

    @Test func `a missing type is reported with the path to it`() {
        builder.transient { (_: B) in A() }
        builder.singleton { (_: C) in B() }

        let line = #line - 2
        #expect(
            problems() == [
                .missing(
                    path: ["A", "B", "C"],
                    location: "DuetDependenciesTests/ValidationTests.swift:\(line)",
                    remedy: "builder.singleton, .scoped or .transient"
                )
            ]
        )
        #expect(
            text() == """
                The container has 1 fault:
                - A → B → C: not registered. The registration at \
                DuetDependenciesTests/ValidationTests.swift:\(line) needs it. Register it too (builder.singleton, .scoped or .transient), or make it optional.
                """
        )
    }

    @Test func `the fault of a missing dispatcher contains the code to write`() {
        builder.transient { (_: any QueryDispatcher) in A() }

        #expect(text().contains("Register it too (builder.handlers { … }), or"))
    }

    @Test func `the fault of a missing resolvable type contains the code to write`() {
        builder.singleton { Session() }
        builder.transient { (_: Client) in A() }

        #expect(text().contains("Register it too (builder.transient(Client.self)), or"))
    }

    @Test func `a handler replaces only the listed handler of its message`() throws {
        struct OtherHandler: QueryHandler {
            func handle(_ query: GetName) async throws -> String { "other" }
        }
        builder.singleton { OtherHandler() }
        builder.replacing.handlers { OtherHandler.self }
        let line = #line - 1

        #expect(
            text() == """
                The container has 1 fault:
                - DuetDependenciesTests.GetName is replaced at \(places(line)), but there is nothing to replace. Name the \
                type that is registered, as in (any Api).self, or register it without builder.replacing.
                """
        )

        builder.handlers { GetNameHandler.self }
        #expect(try builder.build().graph.routes.map(\.handler) == ["OtherHandler"])
    }

    @Test func `an array with a name is the array registered under that name`() async throws {
        struct Plugins: Resolvable {
            static var dependencies: [ResolvedDependency] { [ResolvedDependency([any Plugin].self, named: "all")] }
            let plugins: [any Plugin]
            init(from scope: Scope) async throws { plugins = try await scope.resolve(named: "all") }
        }
        builder.singleton((any Plugin).self, named: "all") { NumberedPlugin(id: 1) }
        builder.transient(Plugins.self)
        #expect(paths() == [["Plugins", "Array<Plugin> \"all\""]])

        builder.singleton([any Plugin].self, named: "all") { [NumberedPlugin(id: 2), NumberedPlugin(id: 3)] }
        let container = try builder.build()
        #expect(try await container.resolve(Plugins.self).plugins.map(\.id) == [2, 3])
        #expect(try await container.resolve([any Plugin]?.self, named: "none") == nil)
        await #expect(throws: ResolutionError.self) { try await container.resolve([any Plugin].self, named: "none") }
    }

    @Test func `a type that is registered under another name is missing`() {
        builder.singleton(named: "main") { C() }
        builder.singleton { (_: C) in B() }

        #expect(text().contains("- B → C: not registered."))
    }

    @Test func `optional and collected dependencies may be missing`() throws {
        builder.transient { (_: B?, _: [C]) in A() }

        _ = try builder.build()
    }

    @Test func `a duplicate registration is reported with both locations`() {
        builder.singleton { A() }
        builder.transient { A() }
        builder.transient(named: "other") { A() }

        let file = "DuetDependenciesTests/ValidationTests.swift"
        let line = #line - 5
        #expect(problems() == [.duplicate(name: "A", locations: ["\(file):\(line)", "\(file):\(line + 1)"])])
        #expect(
            text() == """
                The container has 1 fault:
                - A is registered more than once: \(file):\(line), \(file):\(line + 1). Remove all but one, give each its \
                own name, or register the one to keep with builder.replacing.
                """
        )
    }

    @Test func `a cycle is reported once, with all its types`() {
        let line = #line + 1
        builder.transient { (_: B) in A() }
        builder.singleton { (_: C) in B() }
        builder.transient { (_: A?) in C() }

        #expect(paths() == [["A", "B", "C", "A"]])
        #expect(
            text() == """
                The container has 1 fault:
                - A → B → C → A: each needs the next, so none can be created. Remove one dependency, or dispatch a message \
                where it is used. They are registered at \(places(line, line + 1, line + 2)).
                """
        )
    }

    @Test func `a type that needs itself is a cycle of one`() {
        builder.singleton { (_: [A]) in A() }

        #expect(paths() == [["A", "A"]])
    }

    @Test func `two cycles are two faults`() {
        builder.transient { (_: B) in A() }
        builder.transient { (_: A) in B() }
        builder.transient { (_: C) in C() }

        #expect(paths() == [["A", "B", "A"], ["C", "C"]])
    }

    @Test func `a singleton must not keep a scoped value, even through a transient`() {
        let line = #line + 1
        builder.singleton { (_: B, _: C) in A() }
        builder.transient { (_: C) in B() }
        builder.scoped { C() }

        #expect(paths() == [["A", "B", "C"], ["A", "C"]])
        #expect(
            text() == """
                The container has 2 faults:
                - A → B → C: A is a singleton and would keep C, which is scoped, beyond its scope. Make the first scoped, \
                or the last a singleton. A layer takes a scoped value from a handler, whose message it dispatches to \
                `next`. They are registered at \(places(line, line + 1, line + 2)).
                - A → C: A is a singleton and would keep C, which is scoped, beyond its scope. Make the first scoped, or \
                the last a singleton. A layer takes a scoped value from a handler, whose message it dispatches to \
                `next`. They are registered at \(places(line, line + 2)).
                """
        )
    }

    @Test(arguments: 0..<3) func `a singleton must not keep a scoped value, however it is wrapped`(wrapping: Int) {
        switch wrapping {
        case 0: builder.singleton { (_: [C]?) in A() }
        case 1: builder.singleton { (_: C??) in A() }
        default: builder.singleton { (_: [C]??) in A() }
        }
        builder.scoped { C() }

        #expect(paths() == [["A", "C"]])
    }

    @Test func `a captive value behind two singletons is reported at the singleton that keeps it`() {
        builder.singleton { (_: B) in A() }
        builder.singleton { (_: C) in B() }
        builder.scoped { C() }

        #expect(paths() == [["B", "C"]])
    }

    @Test func `an optional array hides no dependency of the array`() {
        builder.singleton { (_: [C]?) in A() }
        builder.scoped { C() }

        #expect(paths() == [["A", "C"]])
    }

    @Test func `a message has one handler`() {
        struct OtherHandler: QueryHandler {
            func handle(_ query: GetName) async throws -> String { "" }
        }
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton { OtherHandler() }
        builder.handlers { GetNameHandler.self }
        builder.handlers { OtherHandler.self }

        let file = "DuetDependenciesTests/ValidationTests.swift"
        let line = #line - 4
        #expect(
            text() == """
                The container has 1 fault:
                - DuetDependenciesTests.GetName has more than one handler: GetNameHandler, OtherHandler, listed at \
                \(file):\(line), \(file):\(line + 1). A message has one; remove the others.
                """
        )
    }

    @Test func `a handler that cannot be created is a fault`() {
        struct PlainHandler: QueryHandler {
            func handle(_ query: GetName) async throws -> String { "" }
        }
        let line = #line + 1
        builder.handlers { PlainHandler.self }

        #expect(
            text() == """
                The container has 1 fault:
                - PlainHandler is listed as a handler at DuetDependenciesTests/ValidationTests.swift:\(line), but it is \
                neither registered nor @Resolvable. Register it with builder.transient { PlainHandler() }, or write \
                @Resolvable before it (DuetMacros).
                """
        )
    }

    @Test func `the dependencies of a handler must be registered`() {
        builder.handlers { GetNameHandler.self }

        #expect(text().contains("- GetNameHandler → Api: not registered."))
    }

    @Test func `replacing an unregistered type is a fault`() {
        let line = #line + 1
        builder.replacing.singleton { A() }

        #expect(
            text() == """
                The container has 1 fault:
                - A is replaced at DuetDependenciesTests/ValidationTests.swift:\(line), but there is nothing to \
                replace. Name the type that is registered, as in (any Api).self, or register it without builder.replacing.
                """
        )
    }

    @Test func `all faults are reported at once`() {
        builder.singleton { A() }
        builder.singleton { A() }
        builder.transient { (_: any Api) in B() }
        builder.scoped { Session() }
        builder.singleton { (_: Session) in C() }
        builder.transient { (_: Counter) in Counter() }
        builder.replacing.transient { LiveApi() }
        builder.handlers {
            RenameHandler.self
            RenameHandler.self
            GetNameHandler.self
        }

        let kinds = problems().map { problem in
            switch problem {
            case .missing: "missing"
            case .duplicate: "duplicate"
            case .nothingToReplace: "nothing to replace"
            case .cycle: "cycle"
            case .captive: "captive"
            case .duplicateHandler: "duplicate handler"
            case .handlerNotRegistered: "handler not registered"
            @unknown default: "unknown"
            }
        }
        #expect(
            kinds == [
                "duplicate handler", "duplicate", "nothing to replace", "missing", "missing", "missing", "cycle",
                "captive",
            ]
        )
    }

    @Test func `types with the same name are distinguished by their modules`() {
        enum Other { struct Session: Sendable {} }
        builder.transient { (_: Other.Session) in Session() }
        builder.transient { (_: Session) in Other.Session() }

        guard case .cycle(let cycle, _)? = problems().first else {
            Issue.record("There is no cycle.")
            return
        }
        #expect(Set(cycle).count == 2)
        #expect(cycle.first == "DuetDependenciesTests.Session")
    }

    private func places(_ lines: Int...) -> String {
        lines.map { "DuetDependenciesTests/ValidationTests.swift:\($0)" }.joined(separator: ", ")
    }

    /// The paths of all problems that have one.
    private func paths() -> [[String]] {
        problems().map { problem in
            switch problem {
            case .missing(let path, _, _), .cycle(let path, _), .captive(let path, _): path
            default: []
            }
        }
    }

    private func problems() -> [InvalidContainer.Problem] {
        do {
            _ = try builder.build()
            return []
        } catch let invalid as InvalidContainer {
            return invalid.problems
        } catch {
            Issue.record(error)
            return []
        }
    }

    private func text() -> String {
        do {
            _ = try builder.build()
            return ""
        } catch {
            return "\(error)"
        }
    }
}
