import DuetDependencies
import Rounds

/// The costs of a container without dispatch: building it, creating scopes, and resolving a singleton in many tasks.
@main
enum ContainerBenchmark {
    static func main() async throws {
        let large = try await build()
        try await scopes(large: large)
        try await contention()
    }

    /// `build()` of 1,000 registrations: the first one in this process, without the runtime's caches, and later ones.
    private static func build() async throws -> Container {
        let clock = ContinuousClock()
        let builder = ContainerBuilder()
        let registering = clock.measure { builder.install(Application()) }
        var built: Container?
        let first = try clock.measure { built = try builder.build() }
        guard let container = built, container.graph.nodes.count == Application.count + dispatchers else {
            throw WrongInstance(instances: built?.graph.nodes.count ?? 0)
        }
        let rounds = try await Rounds(31, [Measured("build") { _ = try Self.registered().build() }])
        let firstTime = first / .milliseconds(1)
        let registeringTime = registering / .milliseconds(1)
        print("build() of \(Application.count) registrations, in a process:")
        print("    the first: \(firstTime.text()) ms, after \(registeringTime.text()) ms of registering")
        print("    later ones, with registering: \(rounds["build"].text()) ms")
        printFigure("build() of 1,000 registrations, the first in a process: ms", firstTime, atMost: 50)
        return container
    }

    private static func registered() -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.install(Application())
        return builder
    }

    /// `any Dispatcher` and its halves.
    private static let dispatchers = 3

    /// Scopes of a container with 10 and with 1,000 registrations.
    private static func scopes(large: Container) async throws {
        let builder = ContainerBuilder()
        for tens in digits { addService(tens, to: builder) }
        let small = try builder.build()
        let count = 20_000
        let rounds = try await Rounds(
            51,
            [
                Measured("make 10") { make(count, in: small) },
                Measured("make 1000") { make(count, in: large) },
                Measured("end 10") { await makeAndEnd(count, in: small) },
                Measured("end 1000") { await makeAndEnd(count, in: large) },
            ]
        )
        print("A scope, ns                10 registrations    1,000 registrations    ratio")
        for (name, text) in [("make", "created"), ("end", "created and disposed of")] {
            let times = ["\(name) 10", "\(name) 1000"].map { rounds[$0] * 1e6 / Double(count) }
            let ratio = times[1] / times[0]
            let line = [text.padded(to: 26), times[0].text(1).padded(to: 19), times[1].text(1).padded(to: 22)]
            print(line.joined(separator: " "), ratio.text())
            printFigure("a scope \(text), 1,000 registrations / 10: time", max(ratio, 1 / ratio), atMost: 1.2)
            printFigure("a scope \(text): us", (times.max() ?? .nan) / 1_000, atMost: 1)
        }
    }

    private static func addService<Tens: Digit>(_ tens: Tens.Type, to builder: ContainerBuilder) {
        builder.singleton(Service<D0, Tens, D0>.self)
    }

    /// Creates scopes and returns the last one, so that the compiler cannot remove any of them.
    @inline(never)
    @discardableResult
    private static func make(_ count: Int, in container: Container) -> Scope {
        var scope = container.makeScope()
        for _ in 1..<count { scope = container.makeScope() }
        return scope
    }

    @inline(never)
    private static func makeAndEnd(_ count: Int, in container: Container) async {
        for _ in 0..<count { await container.makeScope().dispose() }
    }

    /// One task and eight, each of which resolves one singleton 100,000 times.
    private static func contention() async throws {
        let count = 100_000
        let rounds = try await Rounds(
            31,
            [1, 8].map { tasks in Measured("\(tasks)") { try await resolve(times: count, in: tasks) } }
        )
        let (one, eight) = (Double(count) / rounds["1"] / 1_000, Double(8 * count) / rounds["8"] / 1_000)
        print("A singleton resolved \(count) times by each task, millions per second in total:")
        print("    1 task \(one.text()), 8 tasks \(eight.text()), ratio \((eight / one).text())")
        printFigure("a singleton resolved by 8 tasks / by 1: per second in total", eight / one, atLeast: 0.5)
    }

    /// Builds a container first, so that the tasks also compete to create the singleton.
    private static func resolve(times count: Int, in tasks: Int) async throws {
        let counter = Counter()
        let builder = ContainerBuilder()
        builder.singleton { Connection(counting: counter) }
        let container = try builder.build()
        let instances = try await withThrowingTaskGroup(of: Connection.self) { group in
            for _ in 0..<tasks { group.addTask { try await resolve(times: count, from: container) } }
            return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert(ObjectIdentifier($1)) }
        }
        guard counter.value == 1, instances.count == 1 else { throw WrongInstance(instances: counter.value) }
    }

    @inline(never)
    private static func resolve(times count: Int, from container: Container) async throws -> Connection {
        let connection: Connection = try await container.resolve()
        for _ in 1..<count {
            let other: Connection = try await container.resolve()
            guard other === connection else { throw WrongInstance(instances: 2) }
        }
        return connection
    }
}
