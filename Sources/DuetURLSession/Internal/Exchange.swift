import Dispatch
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: what has come of its answer, and who waits for it.
///
/// It ends once, and does not wait for URLSession to say so: on Linux that may never be.
final class Exchange: Sendable {
    typealias Answer = (HTTPResponse, Data)

    private struct State {
        var response: HTTPResponse?
        var data = Data()
        var waiter: CheckedContinuation<Answer, any Error>?
        var outcome: Result<Answer, any Error>?
    }

    private let request: HTTPRequest
    private let limit: Int
    private let task: URLSessionDataTask
    private let cancelling: DispatchQueue
    private let state = Mutex(State())

    /// An exchange whose task is cancelled on the queue `cancelling`.
    init(_ request: HTTPRequest, limit: Int, task: URLSessionDataTask, cancelling: DispatchQueue) {
        self.cancelling = cancelling
        self.request = request
        self.limit = limit
        self.task = task
    }

    /// Sends the request and waits for its answer.
    func perform() async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { return continuation.resume(with: outcome) }
                task.resume()
            }
        } onCancel: {
            abandon(CancellationError())
        }
    }

    func receive(_ response: HTTPResponse) {
        let isTooLarge = state.withLock { state in
            // Only an interim answer is followed by another; on Linux, trailer fields may look like one.
            if state.response.map({ $0.status.kind == .informational }) ?? true { state.response = response }
            return response.announcedBodySize(to: request).map { $0 > limit } ?? false
        }
        if isTooLarge { abandonAsTooLarge() }
        // Nobody asked for another protocol, and libcurl would read what is spoken there as a body without end.
        if response.status == .switchingProtocols { close(with: .success((response, Data()))) }
        // libcurl takes the last of several lengths, and reads on when one is too large for it.
        if !response.hasOneLength { abandon(failure(URLError(.cannotParseResponse))) }
    }

    func receive(_ data: Data) {
        let fits = state.withLock { state in
            guard state.outcome == nil else { return true }
            guard data.count <= limit - state.data.count else { return false }
            state.data.append(data)
            return true
        }
        if !fits { abandonAsTooLarge() }
    }

    /// Ends the exchange with what has been received.
    func complete() {
        guard let answer = state.withLock({ state in state.response.map { ($0, state.data) } }) else {
            return fail(URLError(.badServerResponse))
        }
        end(.success(answer))
    }

    /// Ends the exchange because URLSession failed.
    func fail(_ error: any Error) {
        let error = (error as? URLError)?.withoutURL ?? URLError(.unknown)
        end(.failure(failure(error)))
    }

    /// Ends the exchange and closes what it is on.
    func abandon(_ error: any Error) {
        close(with: .failure(error))
    }

    private func close(with outcome: Result<Answer, any Error>) {
        end(outcome)
        // On Linux this waits until libcurl pauses, which may be long while a server pours bytes in.
        cancelling.async { self.task.cancel() }
    }

    /// Ends the exchange because the client was shut down.
    func abandonAsShutDown() {
        abandon(HTTPClientError.shutDown(url: request.loggableURL))
    }

    /// Runs `body` unless the exchange has ended, which it cannot do meanwhile.
    func whileUnderWay(_ body: () -> Void) {
        state.withLock { state in
            if state.outcome == nil { body() }
        }
    }

    private func abandonAsTooLarge() {
        abandon(HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit))
    }

    private func failure(_ error: URLError) -> HTTPClientError {
        .connectionFailed(url: request.loggableURL, reason: error.reason, underlying: error)
    }

    private func end(_ outcome: Result<Answer, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Answer, any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.data = Data()
            return state.waiter.take()
        }
        waiter?.resume(with: outcome)
    }
}
