import Duet
import Foundation
import Synchronization

extension Carrier {
    static let lines = Carrier("lines")
}

/// One end of a connection within this process, which carries lines of JSON.
struct LineConnection: Sendable {
    let lines: AsyncStream<Data>
    private let output: AsyncStream<Data>.Continuation

    /// Returns both ends.
    static func make() -> (client: LineConnection, server: LineConnection) {
        let (requests, responses) = (AsyncStream.makeStream(of: Data.self), AsyncStream.makeStream(of: Data.self))
        return (
            LineConnection(lines: responses.stream, output: requests.continuation),
            LineConnection(lines: requests.stream, output: responses.continuation)
        )
    }

    func send(_ value: some Encodable) throws { output.yield(try JSONEncoder().encode(value)) }

    func close() { output.finish() }
}

struct LineError: Error, Codable, Equatable {
    let reason: String
}

private struct Request: Codable {
    let number: Int
    let message: String
    let body: Data
}

private struct Response: Codable {
    let number: Int
    /// The encoded value; empty for a command.
    var value: Data?
    /// The name of a declared error, with its encoded value.
    var declared: (name: String, body: Data)? {
        get { errorName.flatMap { name in errorBody.map { (name, $0) } } }
        set { (errorName, errorBody) = (newValue?.name, newValue?.body) }
    }
    /// The description of any other error.
    var reason: String?
    private var errorName: String?
    private var errorBody: Data?

    init(number: Int) { self.number = number }
}

/// Receives the messages of a list from connections, and dispatches them.
struct LineServer: Sendable {
    private struct Route: Sendable {
        let message: any Message.Type
        let handle: @Sendable (Data) async throws -> Data
    }

    private var routes: [String: Route] = [:]

    init(_ api: MessageAPI, _ dispatcher: some Dispatcher) throws {
        let door = dispatcher.authorizing(api)
        for entry in api.entries(of: .lines) {
            let route = Route(message: entry.message, handle: try Self.handler(of: entry.message, door))
            guard routes.updateValue(route, forKey: entry.message.messageName) == nil else {
                throw LineError(reason: "Two messages have the name \(entry.message.messageName).")
            }
        }
    }

    private static func handler(
        of message: any Message.Type,
        _ door: any Dispatcher
    ) throws -> @Sendable (Data) async throws -> Data {
        switch message {
        case let command as any (Command & Codable).Type: handler(ofCommand: command, door)
        case let query as any PayloadQuery.Type: handler(ofQuery: query, door)
        default: throw LineError(reason: "\(message.messageName) is neither a Codable command nor a PayloadQuery.")
        }
    }

    private static func handler<C: Command & Codable>(
        ofCommand _: C.Type,
        _ door: any Dispatcher
    ) -> @Sendable (Data) async throws -> Data {
        { body in
            try await door.dispatch(JSONDecoder().decode(C.self, from: body))
            return Data()
        }
    }

    private static func handler<Q: PayloadQuery>(
        ofQuery _: Q.Type,
        _ door: any Dispatcher
    ) -> @Sendable (Data) async throws -> Data {
        { body in
            let query = try JSONDecoder().decode(Q.self, from: body)
            return try JSONEncoder().encode(Q.payload(from: try await door.dispatch(query), answering: query))
        }
    }

    /// Serves one connection of a principal until the client closes it.
    func serve(_ connection: LineConnection, for principal: Principal?) async {
        await withDiscardingTaskGroup { group in
            for await line in connection.lines {
                guard let request = try? JSONDecoder().decode(Request.self, from: line) else { continue }
                group.addTask {
                    let response = await withServedRequest {
                        await withPrincipal(principal) { await self.response(to: request) }
                    }
                    try? connection.send(response)
                }
            }
        }
        connection.close()
    }

    private func response(to request: Request) async -> Response {
        var response = Response(number: request.number)
        guard let route = routes[request.message] else {
            response.reason = "\(request.message) is not listed."
            return response
        }
        do {
            response.value = try await route.handle(request.body)
        } catch let error as any DeclaredError
            where route.message.declaredErrors.contains(where: { $0 == type(of: error) })
        {
            response.declared = (try? JSONEncoder().encode(error)).map { (type(of: error).errorName, $0) }
        } catch {
            response.reason = "\(error)"
        }
        return response
    }
}

/// Sends the messages of a list on a connection.
final class LineDispatcher: Dispatcher {
    private struct State {
        var last = 0
        var waiting: [Int: CheckedContinuation<Response, any Error>] = [:]
        var isClosed = false
    }

    private let connection: LineConnection
    private let messages: Set<ObjectIdentifier>
    private let state = Mutex(State())

    init(_ api: MessageAPI, on connection: LineConnection) {
        self.connection = connection
        messages = Set(api.entries(of: .lines).map { ObjectIdentifier($0.message) })
    }

    /// Receives responses until the server closes the connection.
    func run() async {
        for await line in connection.lines {
            guard let response = try? JSONDecoder().decode(Response.self, from: line) else { continue }
            state.withLock { $0.waiting.removeValue(forKey: response.number) }?.resume(returning: response)
        }
        let waiting = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: LineError(reason: "The connection was closed.")) }
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard messages.contains(ObjectIdentifier(M.self)), let encodable = message as? any Message & Encodable else {
            throw LineError(reason: "\(M.messageName) is not listed.")
        }
        let body = try JSONEncoder().encode(encodable)
        let response: Response = try await withCheckedThrowingContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard !state.isClosed else { return nil }
                state.last += 1
                state.waiting[state.last] = continuation
                return state.last
            }
            guard let number else {
                return continuation.resume(throwing: LineError(reason: "The connection was closed."))
            }
            do {
                try connection.send(Request(number: number, message: M.messageName, body: body))
            } catch {
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: error)
            }
        }
        if let declared = response.declared,
            let type = M.declaredErrors.first(where: { $0.errorName == declared.name })
        {
            throw try JSONDecoder().decode(type, from: declared.body)
        }
        guard let body = response.value else { throw LineError(reason: response.reason ?? "An unknown error.") }
        let decoded: Any = try (message as? any PayloadQuery).map { try self.value(from: body, answering: $0) } ?? ()
        guard let value = decoded as? M.Value else { throw LineError(reason: "The response has another type.") }
        return value
    }

    private func value<Q: PayloadQuery>(from body: Data, answering query: Q) throws -> Any {
        try Q.value(from: JSONDecoder().decode(Q.Payload.self, from: body), answering: query)
    }
}
