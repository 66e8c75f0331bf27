//! Code for Lambdaspire's two packages, the same code for Duet, and a bridge between both.

import Duet
import DuetDependencies
import DuetMacros
import DuetTesting
import Observation

// snippet.hide
// Stand-ins for the other packages, named like their modules.
enum LambdaspireSwiftCommandQueryDispatch {
    protocol CQDCommand {}

    protocol CQDQuery {
        associatedtype Value
    }

    protocol HandlesCommand {
        associatedtype TCommand: CQDCommand
        func handle(_: TCommand) async throws
    }

    protocol HandlesQuery {
        associatedtype TQuery: CQDQuery
        func handle(_: TQuery) async throws -> TQuery.Value
    }

    protocol CommandQueryDispatcher {
        func dispatch<T: CQDCommand>(_: T) async throws
        func dispatch<T: CQDQuery>(_: T) async throws -> T.Value
    }
}

typealias CQDCommand = LambdaspireSwiftCommandQueryDispatch.CQDCommand
typealias CQDQuery = LambdaspireSwiftCommandQueryDispatch.CQDQuery
typealias HandlesCommand = LambdaspireSwiftCommandQueryDispatch.HandlesCommand
typealias HandlesQuery = LambdaspireSwiftCommandQueryDispatch.HandlesQuery

enum LambdaspireDependencyResolution {
    struct Registrator {
        func standard(commandHandlers: [any HandlesCommand.Type], queryHandlers: [any HandlesQuery.Type]) {}
    }

    class ContainerBuilder {
        func singleton<C>(_: C.Type, _: @escaping () -> C) {}
        func transient<C, I>(_: C.Type, _: @escaping (I.Type) -> C) {}
        func commandQueryDispatch() -> Registrator { Registrator() }
        func build() -> Container { Container() }
    }

    class Container {
        func resolve<C>() -> C { fatalError("Cannot resolve \(C.self)") }
    }
}

func assigned<C>(_: C.Type) -> (C.Type) -> C { { _ in fatalError("Do not invoke.") } }

struct Info: Sendable {
    let text: String
}

protocol Api: Sendable {
    func info(on subject: String) async throws -> Info
    func add() async throws
}

struct LiveApi: Api {
    func info(on subject: String) async throws -> Info { Info(text: "About \(subject)") }
    func add() async throws {}
}

protocol AnalyticsEngine {
    func logSearch(subject: String)
}

@Resolvable
struct ConsoleAnalytics: AnalyticsEngine {
    func logSearch(subject: String) { print("Searched for \(subject)") }
}

// Never called: the stand-ins register nothing.
enum Before {
    typealias ContainerBuilder = LambdaspireDependencyResolution.ContainerBuilder
    typealias Container = LambdaspireDependencyResolution.Container
    typealias CommandQueryDispatcher = LambdaspireSwiftCommandQueryDispatch.CommandQueryDispatcher

    // snippet.show
    // snippet.beforeQuery
    struct GetInfoQuery: CQDQuery {
        typealias Value = Info

        var subject: String
    }

    @Resolvable
    class GetInfoQueryHandler: HandlesQuery {
        private let api: any Api
        private let analytics: any AnalyticsEngine

        func handle(_ query: GetInfoQuery) async throws -> Info {
            analytics.logSearch(subject: query.subject)
            return try await api.info(on: query.subject)
        }
    }
    // snippet.end

    // snippet.hide
    struct AddSomethingCommand: CQDCommand {}

    class AddSomethingCommandHandler: HandlesCommand {
        func handle(_: AddSomethingCommand) async throws {}
    }

    // snippet.show
    // snippet.beforeContainer
    static func makeContainer() -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient((any AnalyticsEngine).self, assigned(ConsoleAnalytics.self))
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingCommandHandler.self],
            queryHandlers: [GetInfoQueryHandler.self]
        )
        return builder.build()
    }

    static func printInfo(from container: Container) async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        print(try await dispatcher.dispatch(GetInfoQuery(subject: "Programming")).text)
    }
    // snippet.end
    // snippet.hide
}

// snippet.show
// snippet.message
struct GetInfoQuery: CQDQuery, Query {
    typealias Value = Info

    let subject: String
}
// snippet.end

// snippet.command
struct AddSomethingCommand: Command, Equatable {}

@Resolvable
struct AddSomethingCommandHandler: CommandHandler {
    let api: any Api

    func handle(_ command: AddSomethingCommand) async throws {
        try await api.add()
    }
}
// snippet.end

// snippet.handler
@Resolvable
struct GetInfoQueryHandler: QueryHandler {
    let api: any Api
    let analytics: any AnalyticsEngine

    func handle(_ query: GetInfoQuery) async throws -> Info {
        analytics.logSearch(subject: query.subject)
        return try await api.info(on: query.subject)
    }
}
// snippet.end

// snippet.container
func makeContainer() throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton((any Api).self) { LiveApi() }
    builder.transient((any AnalyticsEngine).self, as: ConsoleAnalytics.self) { $0 }
    builder.commandQueryDispatch().standard(
        commandHandlers: [AddSomethingCommandHandler.self],
        queryHandlers: [GetInfoQueryHandler.self]
    )
    return try builder.build()
}

func printInfo(from container: Container) async throws {
    let dispatcher: any CommandQueryDispatcher = try await container.resolve()
    print(try await dispatcher.dispatch(GetInfoQuery(subject: "Programming")).text)
}
// snippet.end

// snippet.factories
func makeContainerOfMovedHandlers() throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton((any Api).self) { LiveApi() }
    builder.transient((any AnalyticsEngine).self) { ConsoleAnalytics() }
    builder.transient { (api: any Api, analytics: any AnalyticsEngine) in
        GetInfoQueryHandler(api: api, analytics: analytics)
    }
    builder.handlers { GetInfoQueryHandler.self }
    return try builder.build()
}
// snippet.end

// snippet.bridge
/// Lambdaspire's dispatcher during the move: messages that Duet knows go to Duet, and all others stay where they were.
final class BridgingDispatcher: LambdaspireSwiftCommandQueryDispatch.CommandQueryDispatcher {
    private let old: any LambdaspireSwiftCommandQueryDispatch.CommandQueryDispatcher
    private let new: any Duet.CommandQueryDispatcher

    init(
        old: any LambdaspireSwiftCommandQueryDispatch.CommandQueryDispatcher,
        new: any Duet.CommandQueryDispatcher
    ) {
        self.old = old
        self.new = new
    }

    func dispatch<T: CQDCommand>(_ command: T) async throws {
        guard let moved = command as? any Command else { return try await old.dispatch(command) }
        try await new.dispatch(moved)
    }

    func dispatch<T: CQDQuery>(_ query: T) async throws -> T.Value {
        guard let moved = query as? any Query<T.Value> else { return try await old.dispatch(query) }
        return try await new.dispatch(moved)
    }
}
// snippet.end

// snippet.model
@MainActor
@Observable
@Resolvable
final class ExampleModel {
    private(set) var displayedError: (any Error)? = nil

    @ObservationIgnored private let dispatcher: any CommandQueryDispatcher

    init(dispatcher: any CommandQueryDispatcher) {
        self.dispatcher = dispatcher
    }

    func addSomething() async {
        do {
            try await dispatcher.dispatch(AddSomethingCommand())
        } catch {
            displayedError = error
        }
    }
}
// snippet.end

// snippet.hide
/// A stand-in for SwiftData, which exists only on Apple platforms.
final class ModelContainer: Sendable {
    let names = Monitor()

    @MainActor var mainContext: ModelContext { ModelContext(self) }

    actor Monitor {
        var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }
}

final class ModelContext {
    init(_ container: ModelContainer) {}
    func insert(_ entity: SomeEntity) {}
    func save() throws {}
    func fetchNames() throws -> [String] { ["Entity 1"] }
}

final class SomeEntity {
    init(name: String) {}
}

// snippet.show
// snippet.swiftdata
struct AddEntityCommand: Command {
    let name: String
}

@Resolvable
struct AddEntityCommandHandler: CommandHandler {
    let container: ModelContainer

    func handle(_ command: AddEntityCommand) async throws {
        let context = ModelContext(container)
        context.insert(SomeEntity(name: command.name))
        try context.save()
    }
}
// snippet.end

// snippet.maincontext
struct AddMainEntityCommand: Command {
    let name: String
}

@Resolvable
struct AddMainEntityCommandHandler: CommandHandler {
    let context: MainActorValue<ModelContext>

    @MainActor
    func handle(_ command: AddMainEntityCommand) async throws {
        context.value.insert(SomeEntity(name: command.name))
        try context.value.save()
    }
}
// snippet.end

// snippet.hide
struct OldCommand: CQDCommand {}

final class OldDispatcher: LambdaspireSwiftCommandQueryDispatch.CommandQueryDispatcher {
    func dispatch<T: CQDCommand>(_ command: T) async throws { print("\(T.self) went to Lambdaspire") }
    func dispatch<T: CQDQuery>(_ query: T) async throws -> T.Value { fatalError("Every query has moved.") }
}

let container = try makeContainer()
try await printInfo(from: container)

let oldDispatcher = OldDispatcher()
// snippet.show
// snippet.bridged
let moved = try makeContainerOfMovedHandlers()
let bridge = BridgingDispatcher(old: oldDispatcher, new: try await moved.dispatcher)
print(try await bridge.dispatch(GetInfoQuery(subject: "Bridges")).text)
// snippet.end
// snippet.hide
try await bridge.dispatch(OldCommand())

// snippet.show
// snippet.test
let spy = SpyDispatcher()
spy.stub(AddSomethingCommand.self)
let model = ExampleModel(dispatcher: spy)
await model.addSomething()
assert(spy.messages(of: AddSomethingCommand.self) == [AddSomethingCommand()])
// snippet.end
// snippet.hide
precondition(spy.messages(of: AddSomethingCommand.self) == [AddSomethingCommand()])

// snippet.show
// snippet.scopes
let scope = container.makeScope()
let dispatcher = try await scope.dispatcher
try await dispatcher.dispatch(AddSomethingCommand())
await scope.dispose()
// snippet.end

let modelContainer = ModelContainer()
let entities = ContainerBuilder()
entities.singleton { modelContainer }
// snippet.mainfactory
entities.singleton { @MainActor in MainActorValue(modelContainer.mainContext) }
// snippet.end
entities.handlers {
    AddEntityCommandHandler.self
    AddMainEntityCommandHandler.self
}
let entityDispatcher = try await entities.build().dispatcher
try await entityDispatcher.dispatch(AddEntityCommand(name: "Entity 1"))
try await entityDispatcher.dispatch(AddMainEntityCommand(name: "Entity 2"))
