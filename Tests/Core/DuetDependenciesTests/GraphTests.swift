import Duet
import DuetDependencies
import Testing

@Suite struct GraphTests {
    private let graph: DependencyGraph

    init() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton((any Api).self, named: .replica) { LiveApi() }
        builder.scoped { (_: [any Api], _: Counter?) in Session() }
        builder.transient((any AnyObject & Sendable).self, as: Client.self) { $0 }
        builder.transient { (_: Scope) in Counter() }
        builder.handlers { GetNameHandler.self }
        graph = try builder.build().graph
    }

    @Test func `the text of the graph lists handlers and dependencies`() {
        #expect(
            graph.description == """
                messages
                  query DuetDependenciesTests.GetName → GetNameHandler
                registrations
                  singleton Api
                  singleton Api "replica"
                  scoped Session → [Api], [Api "replica"], Counter?
                  transient AnyObject as Client → Session
                  transient Counter (opaque: its dependencies are unknown)
                  transient GetNameHandler → Api
                  transient Dispatcher
                  transient CommandDispatcher → Dispatcher
                  transient QueryDispatcher → Dispatcher
                """
        )
    }

    @Test func `the DOT graph contains the same`() {
        #expect(
            graph.dot == #"""
                digraph dependencies {
                  rankdir=LR
                  node [shape=box]
                  "DuetDependenciesTests.GetName" [shape=ellipse, xlabel="query"]
                  "DuetDependenciesTests.GetName" -> "GetNameHandler"
                  "Api" [label="Api\nsingleton", style=bold]
                  "Api \"replica\"" [label="Api \"replica\"\nsingleton", style=bold]
                  "Session" [label="Session\nscoped", style=solid]
                  "Session" -> "Api" [arrowhead=empty]
                  "Session" -> "Api \"replica\"" [arrowhead=empty]
                  "Session" -> "Counter" [style=dashed]
                  "AnyObject" [label="AnyObject\nClient\ntransient", style=dashed]
                  "AnyObject" -> "Session"
                  "Counter" [label="Counter\ntransient", style="dashed,filled", fillcolor=lightgrey]
                  "GetNameHandler" [label="GetNameHandler\ntransient", style=dashed]
                  "GetNameHandler" -> "Api"
                  "Dispatcher" [label="Dispatcher\ntransient", style=dashed]
                  "CommandDispatcher" [label="CommandDispatcher\ntransient", style=dashed]
                  "CommandDispatcher" -> "Dispatcher"
                  "QueryDispatcher" [label="QueryDispatcher\ntransient", style=dashed]
                  "QueryDispatcher" -> "Dispatcher"
                }
                """#
        )
    }

    @Test func `one drawing of several graphs keeps nodes with the same name apart`() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient(GetNameHandler.self)
        builder.handlers { GetNameHandler.self }
        let small = try builder.build().graph

        let dot = DependencyGraph.dot(["one": small, "the \"other\"": small])

        #expect(
            dot.hasPrefix(
                #"""
                digraph dependencies {
                  rankdir=LR
                  node [shape=box]
                  subgraph "cluster one" {
                    label="one"
                    "one: DuetDependenciesTests.GetName" [label="DuetDependenciesTests.GetName", shape=ellipse, xlabel="query"]
                    "one: DuetDependenciesTests.GetName" -> "one: GetNameHandler"
                    "one: Api" [label="Api\nsingleton", style=bold]
                    "one: GetNameHandler" [label="GetNameHandler\ntransient", style=dashed]
                    "one: GetNameHandler" -> "one: Api"

                """#
            )
        )
        #expect(dot.contains("  }\n  subgraph \"cluster the \\\"other\\\"\" {\n    label=\"the \\\"other\\\"\"\n"))
        #expect(dot.contains(#"    "the \"other\": GetNameHandler" -> "the \"other\": Api""#))
        #expect(dot.hasSuffix("  }\n}"))
    }

    @Test func `a type with arguments is named as in code`() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Clock<Duration>).self) { ContinuousClock() }
        builder.singleton((any QueryHandler<GetName> & Sendable).self) { () -> any QueryHandler<GetName> & Sendable in
            throw CancellationError()
        }

        #expect(
            try builder.build().graph.nodes.map(\.name) == [
                "any Clock<Duration>", "any QueryHandler<GetName>",
            ]
        )
    }

    @Test func `a node has the location and the implementation of its registration`() throws {
        let client = try #require(graph.nodes.first { $0.implementation == "Client" })

        #expect(client.location.hasPrefix("DuetDependenciesTests/GraphTests.swift:"))
        #expect(client.lifetime == .transient)
        #expect(client.dependencies.map(\.kind) == [.required])
        #expect(graph.routes.map(\.handler) == ["GetNameHandler"])
    }

    @Test func `an optional collection is drawn as its elements, and an optional scope as opaque`() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient { (_: [any Api]?, _: Session??) in Counter() }
        builder.transient { (_: Scope?) in Session() }

        #expect(
            try builder.build().graph.description == """
                registrations
                  singleton Api
                  transient Counter → [Api], Session?
                  transient Session (opaque: its dependencies are unknown)
                """
        )
    }

    @Test func `a name is written as a literal, whatever it contains`() throws {
        let builder = ContainerBuilder()
        builder.singleton(named: "a\"b\\c\nd é") { Session() }
        let graph = try builder.build().graph

        #expect(graph.description == "registrations\n  singleton Session " + #""a\"b\\c\nd é""#)
        #expect(graph.dot.contains(#"  "Session \"a\\\"b\\\\c\\nd é\"" [label="#))
    }

    @Test func `function-local types of the same name are numbered`() throws {
        func register(in builder: ContainerBuilder) {
            struct Local: Sendable {}
            builder.singleton { Local() }
        }
        func registerOther(in builder: ContainerBuilder) {
            struct Local: Sendable {}
            builder.singleton { (_: Session) in Local() }
        }
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        register(in: builder)
        registerOther(in: builder)

        let names = try builder.build().graph.nodes.map(\.name)

        #expect(Set(names).count == 3)
        #expect(names.last == "\(names[1]) #2")
    }

    @Test func `an optional that is not registered is drawn as such`() throws {
        let builder = ContainerBuilder()
        builder.transient { (_: Session?) in Counter() }
        builder.singleton { (_: Session?) in LiveApi() }

        #expect(
            try builder.build().graph.dot == #"""
                digraph dependencies {
                  rankdir=LR
                  node [shape=box]
                  "Counter" [label="Counter\ntransient", style=dashed]
                  "Counter" -> "Session" [style=dashed]
                  "LiveApi" [label="LiveApi\nsingleton", style=bold]
                  "LiveApi" -> "Session" [style=dashed]
                  "Session" [style=dotted]
                }
                """#
        )
    }
}
