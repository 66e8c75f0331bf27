import DispatchSubjects
import Duet

/// The measured loops, each of which calls one subject a number of times and returns the last result.
///
/// Each loop is a separate function that is not inlined. It receives its subject as a parameter and uses each result
/// for the next message. So the optimizer can neither specialize for the subject nor remove a call.
struct Bench {
    private let queryHandler = AddToHandler(offset: 1)
    private let commandHandler = RememberHandler()
    private let closures: ClosureDispatcher
    private let dispatchers: [any Dispatcher]
    private let plain: any Dispatcher
    private let checked: AppDispatcher
    private let containers: Containers

    init() async throws {
        let (queryHandler, commandHandler) = (queryHandler, commandHandler)
        closures = ClosureDispatcher(query: queryHandler, command: commandHandler)
        let standard = try StandardDispatcher {
            queryHandler
            commandHandler
        }
        dispatchers = [
            standard,
            standard.with(PassThrough()),
            standard.with(PassThrough()).with(PassThrough()),
            standard.with(PassThrough()).with(PassThrough()).with(PassThrough()),
        ]
        plain = standard.with(PlainPassThrough())
        checked = AppDispatcher(addTo: queryHandler, remember: commandHandler)
        containers = try await Containers(query: queryHandler, command: commandHandler)
    }

    /// Calls the subject a number of times.
    func run(_ subject: Subject, _ kind: Kind, times: Int) async throws -> Int {
        // Resets the result, so that the result of another subject is not mistaken for this one.
        commandHandler.remember(-1)
        return switch kind {
        case .query:
            switch subject {
            case .direct: try await queries(queryHandler, times)
            case .existential: try await queries(any: queryHandler, times)
            case .closures: try await queries(closures, times)
            case .layers(let count): try await queries(dispatchers[count], times)
            case .plainLayer: try await queries(plain, times)
            case .checked: try await queries(checked, times)
            case .container(let registered): try await queries(containers.dispatcher(registered), times)
            }
        case .command:
            switch subject {
            case .direct: try await commands(commandHandler, times)
            case .existential: try await commands(any: commandHandler, times)
            case .closures: try await commands(closures, times)
            case .layers(let count): try await commands(dispatchers[count], times)
            case .plainLayer: try await commands(plain, times)
            case .checked: try await commands(checked, times)
            case .container(let registered): try await commands(containers.dispatcher(registered), times)
            }
        }
    }

    /// Checks that all calls were made: each of them contributes to the result.
    func check(_ result: Int, of kind: Kind, times: Int) throws {
        let expected =
            switch kind {
            case .query: times
            case .command: times - 1
            }
        guard result == expected else { throw WrongResult(result: result, expected: expected) }
    }

    @inline(never)
    private func queries(_ handler: AddToHandler, _ times: Int) async throws -> Int {
        var number = 0
        for _ in 0..<times { number = try await handler.handle(AddTo(number: number)) }
        return number
    }

    @inline(never)
    private func queries(any handler: any QueryHandler<AddTo>, _ times: Int) async throws -> Int {
        var number = 0
        for _ in 0..<times { number = try await handler.handle(AddTo(number: number)) }
        return number
    }

    @inline(never)
    private func queries(_ dispatcher: any Dispatcher, _ times: Int) async throws -> Int {
        var number = 0
        for _ in 0..<times { number = try await dispatcher.dispatch(AddTo(number: number)) }
        return number
    }

    @inline(never)
    private func queries(_ dispatcher: ClosureDispatcher, _ times: Int) async throws -> Int {
        var number = 0
        for _ in 0..<times { number = try await dispatcher.dispatch(AddTo(number: number)) }
        return number
    }

    @inline(never)
    private func queries(_ dispatcher: AppDispatcher, _ times: Int) async throws -> Int {
        var number = 0
        for _ in 0..<times { number = try await dispatcher.dispatch(AddTo(number: number)) }
        return number
    }

    @inline(never)
    private func commands(_ handler: RememberHandler, _ times: Int) async throws -> Int {
        for number in 0..<times { try await handler.handle(Remember(number: number)) }
        return commandHandler.remembered
    }

    @inline(never)
    private func commands(any handler: any CommandHandler<Remember>, _ times: Int) async throws -> Int {
        for number in 0..<times { try await handler.handle(Remember(number: number)) }
        return commandHandler.remembered
    }

    @inline(never)
    private func commands(_ dispatcher: any Dispatcher, _ times: Int) async throws -> Int {
        for number in 0..<times { try await dispatcher.dispatch(Remember(number: number)) }
        return commandHandler.remembered
    }

    @inline(never)
    private func commands(_ dispatcher: ClosureDispatcher, _ times: Int) async throws -> Int {
        for number in 0..<times { try await dispatcher.dispatch(Remember(number: number)) }
        return commandHandler.remembered
    }

    @inline(never)
    private func commands(_ dispatcher: AppDispatcher, _ times: Int) async throws -> Int {
        for number in 0..<times { try await dispatcher.dispatch(Remember(number: number)) }
        return commandHandler.remembered
    }
}
