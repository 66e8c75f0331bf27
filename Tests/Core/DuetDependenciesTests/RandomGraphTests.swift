import DuetDependencies
import DuetTesting
import Testing

/// Random graphs, each checked against a simple search.
@Suite struct RandomGraphTests {
    static let seeds = Array(UInt64(1)...400)

    @Test(arguments: seeds) func `build finds the same faults as a simple search, and valid graphs can be created`(
        seed: UInt64
    ) async throws {
        let plan = Plan(seed: seed)
        try await Plan.$current.withValue(plan) {
            let builder = ContainerBuilder()
            for index in plan.nodes.indices { plan.register(index, in: builder) }
            do {
                let container = try builder.build()
                #expect(plan.isValid, "seed \(seed): \(plan)")
                try await container.withScope { scope in
                    for index in plan.nodes.indices where plan.nodes[index].isRegistered {
                        try await Plan.types[index].check(in: scope)
                    }
                }
            } catch let invalid as InvalidContainer {
                #expect(!plan.isValid, "seed \(seed): \(plan)")
                #expect(Found(invalid.problems) == plan.faults, "seed \(seed): \(plan)")
            }
        }
    }

    @Test func `the random graphs include enough of both kinds`() {
        let valid = Self.seeds.count { Plan(seed: $0).isValid }
        #expect((100...300).contains(valid))
    }
}

/// The problems without their paths: if several paths exist, any of them may be reported.
private struct Found: Equatable {
    var missing: Set<[String]> = []
    var isCyclic = false
    var captives: Set<[String]> = []
}

extension Found {
    init(_ problems: [InvalidContainer.Problem]) {
        for problem in problems {
            switch problem {
            case .missing(let path, _, _): missing.insert(path.suffix(2))
            case .cycle(let cycle, _): isCyclic = cycle.first == cycle.last
            case .captive(let path, _): captives.insert([path[0], path[1]])
            default: Issue.record("\(problem) cannot be.")
            }
        }
    }
}

/// A graph of a few nodes, each with its own type.
private struct Plan: Sendable, CustomStringConvertible {
    struct Node {
        var lifetime: Lifetime
        var isRegistered: Bool
        var needs: [Int]
    }

    /// The dependencies of the node types, because `Resolvable` reads them from the type and not from a value.
    @TaskLocal static var current = Plan(nodes: [])

    static let types: [any Numbered.Type] = [
        Thing<Zero>.self, Thing<One>.self, Thing<Two>.self, Thing<Three>.self, Thing<Four>.self, Thing<Five>.self,
    ]

    var nodes: [Node]

    var description: String {
        nodes.enumerated()
            .map { "\($1.isRegistered ? "" : "no ")\($1.lifetime) \($0) → \($1.needs)" }
            .joined(separator: "; ")
    }
}

extension Plan {
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        nodes = Self.types.indices.map { index in
            Node(
                lifetime: Lifetime.allCases.randomElement(using: &random) ?? .transient,
                isRegistered: Int.random(in: 0..<12, using: &random) > 0,
                // Most edges lead downward; otherwise, hardly a graph would be acyclic.
                needs: Self.types.indices.filter { other in
                    Int.random(in: 0..<(other > index ? 4 : 24), using: &random) == 0
                }
            )
        }
    }

    func register(_ index: Int, in builder: ContainerBuilder) {
        func register<N: Numbered>(_ type: N.Type) {
            switch nodes[index].lifetime {
            case .transient: builder.transient(type)
            case .scoped: builder.scoped(type)
            case .singleton: builder.singleton(type)
            }
        }
        if nodes[index].isRegistered { register(Self.types[index]) }
    }

    var isValid: Bool { faults == Found() }

    var faults: Found {
        var faults = Found()
        for (index, node) in nodes.enumerated() where node.isRegistered {
            for need in node.needs {
                if !nodes[need].isRegistered { faults.missing.insert([name(index), name(need)]) }
                if node.lifetime == .singleton, isCaptive(need) { faults.captives.insert([name(index), name(need)]) }
            }
            if ways(from: index, through: { _ in true }).contains(index) { faults.isCyclic = true }
        }
        return faults
    }

    /// Returns whether a singleton with this dependency would keep a scoped value.
    private func isCaptive(_ need: Int) -> Bool {
        guard nodes[need].isRegistered, nodes[need].lifetime != .singleton else { return false }
        if nodes[need].lifetime == .scoped { return true }
        return ways(from: need) { nodes[$0].lifetime == .transient }.contains { nodes[$0].lifetime == .scoped }
    }

    /// Returns the nodes that are reachable in one step or more, continuing only through open nodes.
    private func ways(from start: Int, through isOpen: (Int) -> Bool) -> Set<Int> {
        var reached: Set<Int> = []
        var open = [start]
        while let index = open.popLast() {
            for need in nodes[index].needs where nodes[need].isRegistered && reached.insert(need).inserted {
                if isOpen(need) { open.append(need) }
            }
        }
        return reached
    }

    private func name(_ index: Int) -> String { "\(Self.types[index])" }
}

private protocol Number {
    static var number: Int { get }
}

private enum Zero: Number { static let number = 0 }
private enum One: Number { static let number = 1 }
private enum Two: Number { static let number = 2 }
private enum Three: Number { static let number = 3 }
private enum Four: Number { static let number = 4 }
private enum Five: Number { static let number = 5 }

/// The behavior of a node's type, whose dependencies come from the current plan.
private protocol Numbered: AnyObject, Resolvable, Sendable {
    static var number: Int { get }
    static func check(in scope: Scope) async throws
}

private final class Thing<N: Number>: Numbered {
    static var number: Int { N.number }

    static var dependencies: [ResolvedDependency] {
        func dependency<Need: Numbered>(_ type: Need.Type) -> ResolvedDependency { ResolvedDependency(type) }
        return Plan.current.nodes[number].needs.map { dependency(Plan.types[$0]) }
    }

    let needs: [any Numbered]

    init(from scope: Scope) async throws {
        func resolve<Need: Numbered>(_ type: Need.Type) async throws -> any Numbered {
            try await scope.resolve(type)
        }
        var needs: [any Numbered] = []
        for need in Plan.current.nodes[Self.number].needs { needs.append(try await resolve(Plan.types[need])) }
        self.needs = needs
    }

    /// Resolves the type twice, and checks that both are the same instance if the lifetime requires it, and that its
    /// dependencies are set.
    static func check(in scope: Scope) async throws {
        let first: Thing = try await scope.resolve()
        let second: Thing = try await scope.resolve()
        let node = Plan.current.nodes[number]
        #expect((first === second) == (node.lifetime != .transient))
        #expect(first.needs.map { type(of: $0).number } == node.needs)
    }
}
