import Duet
import DuetContext
import HTTPTypes
import ServiceContextModule

extension Deadline {
    /// Sends a request that tells the server how long there is, and cancels it when the time is up.
    ///
    /// - Parameters:
    ///   - limit: How long there is.
    ///   - send: Sends the request, with this deadline as the task's own.
    /// - Throws: ``HTTPClientError/deadlineExceeded(url:after:)`` when there was no answer by then; what `send` throws before that.
    func keep<Answer: Sendable>(
        _ limit: Duration,
        over request: HTTPRequest,
        send: @Sendable @concurrent @escaping (_ request: HTTPRequest) async throws -> (HTTPResponse, Answer)
    ) async throws -> (HTTPResponse, Answer) {
        try Task.checkCancellation()
        let error = HTTPClientError.deadlineExceeded(url: request.loggableURL, after: max(.zero, limit))
        guard limit > .zero else { throw error }
        var (context, request) = (ServiceContext.current ?? .topLevel, request)
        context.deadline = kept
        request.setTimeout(limit)
        return try await withTimeout(limit, clock: clock, error: error) { [context, request] in
            try await ServiceContext.withValue(context) { try await send(request) }
        }
    }
}
