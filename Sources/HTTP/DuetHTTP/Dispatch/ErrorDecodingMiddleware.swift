public import Duet
import DuetContext
public import Foundation
public import HTTPTypes

/// Throws the errors of an API with its own error format in place of the failures that contain them.
///
/// Only an ``HTTPFailure`` because of a status is replaced. One of a command that a queue sends stays if it needs a
/// sign-in, so that the queue waits and the command is not lost.
public struct ErrorDecodingMiddleware: ValuePreservingMiddleware {
    private let decode: @Sendable (HTTPFailure) -> (any Error)?

    /// Creates the middleware for the errors of one type, by the coding of the message.
    ///
    /// A temporary failure stays as it is, so that queues and retries wait, and so does one whose body is not JSON of
    /// the type.
    public init<Failure: Error & Decodable>(as type: Failure.Type) {
        decode = { $0.isTemporary ? nil : try? $0.decode(type) }
    }

    /// Creates the middleware for errors that a closure makes; nil, or a thrown error, leaves the failure.
    public init(_ decode: @escaping @Sendable (_ response: HTTPResponse, _ body: Data) throws -> (any Error)?) {
        self.decode = { try? decode($0.response, $0.body) }
    }

    /// Dispatches the message, and replaces its error.
    ///
    /// - Throws: The API's error in place of an ``HTTPFailure`` that contains it; all other errors of `next`.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        do {
            return try await next.dispatch(message)
        } catch let failure as HTTPFailure {
            guard case .status = failure.reason else { throw failure }
            // Queues send commands with keys.
            let isQueued = M.self is any Command.Type && IdempotencyKey.asSent != nil
            throw (isQueued && failure.needsSignIn ? nil : decode(failure)) ?? failure
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher with the errors of an API that has its own error format.
    ///
    /// An ``HTTPFailure`` whose body contains such an error is replaced by it, also for observed queries. A temporary
    /// failure, such as a 503, stays as it is, and so does a 401 for a command with an idempotency key, so that a queue
    /// of commands waits.
    ///
    /// ```swift
    /// HTTPDispatcher(baseURL: server, client: client).decodingErrors(as: SupplierError.self)
    /// ```
    ///
    /// Put it inside of a cache: the errors of queued commands do not reach the layers outside.
    ///
    /// - Parameter type: The type of the error in the body of a response.
    public func decodingErrors<Failure: Error & Decodable>(as type: Failure.Type) -> some Dispatcher {
        with(ErrorDecodingMiddleware(as: type))
    }

    /// Returns this dispatcher with errors that a closure makes of status, fields and body.
    ///
    /// An error that is a ``/Duet/TemporaryError`` lets queues and `retrying()` wait as long as it says.
    ///
    /// - Parameter decode: Returns the error; nil, or a thrown error, leaves the failure as it is.
    public func decodingErrors(
        _ decode: @escaping @Sendable (_ response: HTTPResponse, _ body: Data) throws -> (any Error)?
    ) -> some Dispatcher {
        with(ErrorDecodingMiddleware(decode))
    }
}
