//! Lifetimes, names, modules, scopes and overrides of a container.

import Duet
import DuetDependencies
import DuetMacros

// snippet.hide
protocol Api: Sendable {
    var address: String { get }
}

struct LiveApi: Api {
    let address: String
}

struct FakeApi: Api {
    let address = "nowhere"
}

/// What a request is about.
struct Visitor: Sendable {
    var name: String
}

/// Is opened when it is first needed, and closed when its scope ends.
final class Transaction: Disposable, CustomStringConvertible {
    private let api: any Api

    init(_ api: any Api) { self.api = api }

    static func begin(_ api: any Api) async throws -> Transaction { Transaction(api) }

    var description: String { "the transaction with \(api.address)" }

    func dispose() async { print("The transaction with \(api.address) has ended.") }
}

/// Lives as long as the scope that it is resolved in.
@Resolvable
@MainActor
final class Screen {
    let visitor: Visitor

    func greet() { print("Hello, \(visitor.name).") }
}

// snippet.show
// A name tells registrations of one type apart; a constant cannot be misspelt.
extension DependencyName {
    static let replica: DependencyName = "replica"
}

// Registrations that belong together are a module.
struct ApiModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton((any Api).self) { LiveApi(address: "main") }
        builder.singleton((any Api).self, named: .replica) { LiveApi(address: "replica") }
    }
}

// A type that says itself what it depends on: the macro resolves its properties.
@Resolvable
struct Report {
    @Named(.replica) let api: any Api
    let all: [any Api]
    let transaction: Transaction
    let visitor: Visitor?

    func text() -> String {
        "\(visitor?.name ?? "Somebody") reads from \(api.address), one of \(all.map(\.address))."
    }
}

// A service lives as long as its scope, and so does what it was given.
@Resolvable
struct Poller {
    let transaction: Transaction

    func run() async throws {
        for round in 1...3 where !Task.isCancelled { print("Polls in \(transaction), round \(round).") }
    }
}

let builder = ContainerBuilder()
builder.install(ApiModule())
builder.scoped { Visitor(name: "nobody") }
// A factory may be asynchronous, throw, and run on an actor; its parameters are its dependencies.
builder.scoped { (api: any Api) in try await Transaction.begin(api) }
builder.scoped(Screen.self)
builder.transient(Report.self)
builder.transient(Poller.self)
let container = try builder.build()
print(container.graph)

// A request, a screen, a service: a scope lives as long as it does, and may be given what only it knows.
try await container.withScope(overriding: Override { Visitor(name: "Ada") }) { scope in
    let report: Report = try await scope.resolve()
    print(report.text())
    let screen: Screen = try await scope.resolve()
    screen.greet()
}

try await container.withScope { scope in
    try await scope.resolve(Poller.self).run()
}

// The same registrations for a test, one of them replaced: nothing is shared with the container above.
let test = try container.overriding(Override((any Api).self) { FakeApi() })
let api: any Api = try await test.resolve()
// snippet.hide
precondition(api.address == "nowhere")
do {
    let broken = ContainerBuilder()
    broken.transient(Report.self)
    _ = try broken.build()
    preconditionFailure("A container that lacks something must not be built.")
} catch {
    print(error)
}
await container.dispose()
