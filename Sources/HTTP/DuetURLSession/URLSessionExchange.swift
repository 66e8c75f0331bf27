import Dispatch
import Duet
import DuetHTTP
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request under way, with the unread part of its response and the task that waits for more.
///
/// It ends once. It does not wait for URLSession to report the end, which may never happen on Linux.
final class URLSessionExchange: Sendable {
    /// The part of a response that a task waits for; at most one task waits at a time.
    enum Stage {
        case head
        case piece
    }

    private struct State {
        var response: HTTPResponse?
        var unread = Data()
        var outcome: Result<Void, any Error>?
        var isPaused = false

        func isAt(_ stage: Stage) -> Bool {
            switch stage {
            case .head: outcome != nil || response.map { $0.status.kind != .informational } ?? false
            case .piece: outcome != nil || !unread.isEmpty
            }
        }
    }

    private let request: HTTPRequest
    private let limit: Int
    private let task: URLSessionDataTask
    private let canceling: DispatchQueue
    private let onEnd: @Sendable () -> Void
    private let state = Monitor(State())

    /// Creates an exchange that has not begun.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes that are held at most for a reader.
    ///   - canceling: The queue on which the task is canceled.
    ///   - onEnd: Called when the exchange has ended.
    init(
        _ request: HTTPRequest,
        limit: Int,
        task: URLSessionDataTask,
        canceling: DispatchQueue,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.limit = limit
        self.task = task
        self.canceling = canceling
        self.onEnd = onEnd
    }

    func head() async throws -> HTTPResponse {
        await wait(for: .head, starting: true)
        let state = state.read { $0 }
        // After the first bytes have arrived, an error is reported to their reader.
        if state.unread.isEmpty { try state.outcome?.get() }
        guard let response = state.response else { throw CancellationError() }
        return response
    }

    /// The bytes that have arrived since the last piece, or nil after the end.
    func next() async throws -> Data? {
        await wait(for: .piece)
        let state = state.update { state in
            defer { (state.unread, state.isPaused) = (Data(), false) }
            return state
        }
        if state.unread.isEmpty { try state.outcome?.get() }
        if state.isPaused { task.resume() }
        return state.unread.isEmpty ? nil : state.unread
    }

    private func wait(for stage: Stage, starting: Bool = false) async {
        await withTaskCancellationHandler {
            if starting, state.read({ !$0.isAt(stage) }) { task.resume() }
            await state.waitEvenIfCanceled { $0.isAt(stage) }
        } onCancel: {
            abandon(CancellationError())
        }
    }

    func receive(_ response: HTTPResponse) {
        // Before a task that waits for the head can see it.
        do {
            try response.checkText()
        } catch {
            return abandon(
                HTTPClientError.connectionFailed(url: request.loggableURL, reason: "\(error)", underlying: error)
            )
        }
        // libcurl uses the last of several lengths, and ignores one that is too large for it.
        guard response.hasOneLength else { return abandon(failure(URLError(.cannotParseResponse))) }
        state.update { state in
            // Only an informational response is followed by another. On Linux, trailer fields may look like one.
            if state.response.map({ $0.status.kind == .informational }) ?? true { state.response = response }
        }
        // No request asks for another protocol, and libcurl would read its bytes as an endless body.
        if response.status == .switchingProtocols { close(with: .success(())) }
    }

    func receive(_ data: Data) {
        let fits = state.update { state in
            guard state.outcome == nil else { return true }
            guard data.count <= limit - state.unread.count else { return false }
            state.unread.append(data)
            return true
        }
        if !fits { return abandon(HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)) }
        #if !canImport(FoundationNetworking)
            pauseIfFull()
        #endif
    }

    /// Ends the exchange with what has been received.
    func complete() {
        guard state.read({ $0.response != nil }) else { return fail(URLError(.badServerResponse)) }
        end(.success(()))
    }

    func fail(_ error: any Error) {
        let error = (error as? URLError)?.withoutURL ?? URLError(.unknown)
        end(.failure(failure(error)))
    }

    /// Ends the exchange, closes its connection and drops unread bytes.
    func abandon(_ error: any Error) {
        close(with: .failure(error))
    }

    func abandonAsShutDown() {
        abandon(HTTPClientError.shutDown(url: request.loggableURL))
    }

    /// Runs `body` unless the exchange has ended; it cannot end in the meantime.
    func whileUnderWay(_ body: () -> Void) {
        state.update { state in
            if state.outcome == nil { body() }
        }
    }

    private func failure(_ error: URLError) -> HTTPClientError {
        .connectionFailed(
            url: request.loggableURL,
            reason: error.reason,
            underlying: error.isOfNoConnection ? NotConnected(error) : error
        )
    }

    private func close(with outcome: Result<Void, any Error>) {
        guard end(outcome, forgetting: true) else { return }
        // On Linux this waits until libcurl pauses, which may take long while a server keeps sending.
        canceling.async { self.task.cancel() }
    }

    @discardableResult
    private func end(_ outcome: Result<Void, any Error>, forgetting: Bool = false) -> Bool {
        let isNew = state.update { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            if forgetting { state.unread = Data() }
            return true
        }
        if isNew { onEnd() }
        return isNew
    }

    #if !canImport(FoundationNetworking)
        /// Makes the server wait while the body is not read.
        ///
        /// Not on Linux, where suspending closes the connection, and resuming sends the whole request again and appends
        /// its response.
        private func pauseIfFull() {
            let isFull = state.update { state in
                guard state.outcome == nil, !state.isPaused, state.unread.count > 256 * 1024 else { return false }
                state.isPaused = true
                return true
            }
            if isFull { task.suspend() }
        }
    #endif
}

extension URLError {
    /// The same error without the URL that failed, whose query may hold secrets.
    var withoutURL: URLError {
        URLError(code, userInfo: [NSLocalizedDescriptionKey: localizedDescription])
    }

    /// Whether the request failed before there was a connection.
    var isOfNoConnection: Bool {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: true
        #if !canImport(FoundationNetworking)
            // On Linux the error may be that of another address than the connected one.
            case .cannotConnectToHost: true
        #endif
        default: false
        }
    }

    /// The reason in this package's words.
    var reason: String {
        let text = "\(localizedDescription), URLError \(code.rawValue)"
        return switch code {
        case .cannotFindHost, .dnsLookupFailed:
            "its host name is not known"
        case .cannotConnectToHost:
            "the connection was refused"
        case .networkConnectionLost:
            "the connection was closed before the response was complete"
        // On Linux a response that is not HTTP is reported as an unsupported URL. Invalid URLs were refused before.
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
            "the response is not valid HTTP (\(text))"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            "TLS failed (\(text))"
        default:
            text
        }
    }
}
