import Duet
import Synchronization

/// The handlers that send messages to one server, created when the first message of a type is dispatched.
final class RemoteHandlers: Sendable {
    private let server: HTTPServer
    /// By the type of the message `M`: a `HandlerBox<M>`.
    private let handlers = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init(_ server: HTTPServer) {
        self.server = server
    }

    /// The same for messages that have been validated already.
    var withoutValidation: RemoteHandlers {
        var server = server
        server.validates = false
        return RemoteHandlers(server)
    }

    func handler<M: Message>(of type: M.Type) -> HandlerBox<M> {
        let key = ObjectIdentifier(type)
        let known = handlers.withLock { $0[key] }
        // Outside the lock, because it runs code of the message's type. Of two created at once the first is kept.
        let handler = known ?? keep(makeHandler(of: type), for: key)
        // The table stores a box under the type of its own message, so the box found here is a `HandlerBox<M>`.
        return unsafe unsafeDowncast(handler, to: HandlerBox<M>.self)
    }

    private func keep(_ handler: any AnyObject & Sendable, for key: ObjectIdentifier) -> any AnyObject & Sendable {
        handlers.withLock { handlers in
            let kept = handlers[key] ?? handler
            handlers[key] = kept
            return kept
        }
    }

    private func makeHandler<M: Message>(of type: M.Type) -> any AnyObject & Sendable {
        do {
            switch type {
            case let command as any HTTPCommand.Type:
                try check(command)
                return try commandHandler(of: command)
            case let query as any HTTPQuery.Type:
                try check(query)
                return try queryHandler(of: query)
            default:
                throw HTTPMessageError.notAnHTTPMessage(message: M.messageName)
            }
        } catch {
            return HandlerBox(FailingHandler<M>(error: error))
        }
    }

    private func commandHandler<C: HTTPCommand>(of type: C.Type) throws -> any AnyObject & Sendable {
        HandlerBox<C>(try RemoteCommandHandler<C>(server))
    }

    private func queryHandler<Q: HTTPQuery>(of type: Q.Type) throws -> any AnyObject & Sendable {
        HandlerBox<Q>(try RemoteQueryHandler<Q>(server))
    }

    private func check(_ type: any HTTPMessage.Type) throws(HTTPMessageError) {
        guard let endpoints = server.endpoints, !endpoints.contains(where: { $0.message == type }) else { return }
        throw .notInAPI(message: type.messageName)
    }
}

/// Throws the reason why messages of a type cannot be sent.
private struct FailingHandler<Message: Duet.Message>: Handler {
    let error: any Error

    func handle(_ message: Message) async throws -> Message.Value { throw error }
}
