import Duet
import DuetDependencies
import Testing

struct Info { var text: String }
struct GetInfo: Query { typealias Value = Info; var subject: String }
struct AddSomething: Command {}
protocol Api: Sendable { func get() async -> String }
struct LiveApi: Api { func get() async -> String { "fun" } }
final class UnitOfWork: Sendable, Disposable {
    let api: any Api
    init(api: any Api) { self.api = api }
    func dispose() async { print("disposed") }
}
protocol Repository {}
final class SQLRepository: Repository, Resolvable {
    let api: any Api
    static var dependencies: [Dependency] { [Dependency((any Api).self)] }
    init(from scope: Scope) async throws { api = try await scope.resolve() }
}
struct GetInfoHandler: QueryHandler, Resolvable {
    let api: any Api
    static var dependencies: [Dependency] { [Dependency((any Api).self)] }
    init(from scope: Scope) async throws { api = try await scope.resolve() }
    func handle(_ query: GetInfo) async throws -> Info { Info(text: "\(query.subject) is \(await api.get())") }
}
final class AddSomethingHandler: CommandHandler, Resolvable {
    let work: UnitOfWork
    let repository: any Repository
    static var dependencies: [Dependency] { [Dependency(UnitOfWork.self), Dependency((any Repository).self)] }
    init(from scope: Scope) async throws { work = try await scope.resolve(); repository = try await scope.resolve() }
    func handle(_ command: AddSomething) async throws { print("added") }
}
@Suite struct First {
    @Test func `the first example works`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.scoped { (api: any Api) in UnitOfWork(api: api) }
        builder.transient((any Repository).self, as: SQLRepository.self) { $0 }
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingHandler.self],
            queryHandlers: [GetInfoHandler.self]
        )
        let container = try builder.build()
        let dispatcher: any CommandQueryDispatcher = try await container.resolve()
        let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))
        try await dispatcher.dispatch(AddSomething())
        #expect(info.text == "Programming is fun")
        print(container.graph)
        print(container.graph.dot)
    }
}
