public import Duet

/// Throws the errors of an API with its own error format in place of the failures that contain them.
///
/// An ``HTTPFailure`` because of a status becomes the error in its body, by the coding of the message. It stays as it
/// is in these cases:
///
/// - It is temporary or needs a sign-in. A queue of commands then waits, and a failed command is not lost.
/// - Its body is not JSON of the error's type.
///
/// Other errors stay as they are, such as a declared ``HTTPProblem`` and a successful response that cannot be read.
public struct ErrorDecodingMiddleware<Failure: Error & Decodable>: Middleware {
    /// Creates the middleware for the errors of one type.
    public init(as type: Failure.Type) {}

    /// Dispatches the message, and replaces its error.
    ///
    /// - Throws: `Failure` in place of an ``HTTPFailure`` that contains it; all other errors of `next`.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        do {
            return try await next.dispatch(message)
        } catch let failure as HTTPFailure where failure.isRefusal {
            throw (try? failure.decode(Failure.self)) ?? failure
        }
    }
}

extension HTTPFailure {
    /// Whether the server refused the message, and would refuse it again.
    fileprivate var isRefusal: Bool {
        guard case .status = reason else { return false }
        return !isTemporary && !needsSignIn
    }
}

extension Dispatcher {
    /// Returns this dispatcher with the errors of an API that has its own error format.
    ///
    /// An ``HTTPFailure`` whose body contains such an error is replaced by it, also for observed queries. A temporary
    /// failure, such as a 503, and a 401 stay as they are, so that a queue of commands waits.
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
}
