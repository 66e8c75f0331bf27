import Dispatch
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its exchanges under way, by the identifiers of their tasks.
///
/// It is the session's delegate, because Linux does not call the delegates of tasks.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private struct State {
        var session: URLSession?
        var underWay: [Int: URLSessionExchange] = [:]
        /// The exchanges with their own connections.
        var alone: [ObjectIdentifier: URLSessionExchanges] = [:]
    }

    private let state = Mutex(State())
    private let canceling = DispatchQueue(label: "DuetURLSession.canceling")

    init(_ configuration: URLSessionConfiguration) {
        super.init()
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        state.withLock { $0.session = session }
    }

    func exchange(
        _ outgoing: URLRequest,
        for request: HTTPRequest,
        limit: Int,
        onEnd: @escaping @Sendable () -> Void = {}
    ) throws(HTTPClientError) -> URLSessionExchange {
        // A session that was shut down traps when it creates a task, so the task is created under the lock.
        let exchange = state.withLock { state -> URLSessionExchange? in
            guard let task = state.session?.dataTask(with: outgoing) else { return nil }
            let number = task.taskIdentifier
            let exchange = URLSessionExchange(request, limit: limit, task: task, canceling: canceling) {
                [weak self] in
                self?.state.withLock { $0.underWay[number] = nil }
                onEnd()
            }
            state.underWay[number] = exchange
            return exchange
        }
        guard let exchange else { throw .shutDown(url: request.loggableURL) }
        return exchange
    }

    #if canImport(FoundationNetworking)
        /// Creates an exchange that has not begun, and that has its own connection.
        ///
        /// libcurl sends a request again by itself when the server closes a connection that was used before.
        func exchangeAlone(_ outgoing: URLRequest, for request: HTTPRequest, limit: Int) throws(HTTPClientError)
            -> URLSessionExchange
        {
            let alone = state.withLock { state -> URLSessionExchanges? in
                guard let session = state.session else { return nil }
                let alone = URLSessionExchanges(session.configuration)
                state.alone[ObjectIdentifier(alone)] = alone
                return alone
            }
            guard let alone else { throw .shutDown(url: request.loggableURL) }
            let id = ObjectIdentifier(alone)
            return try alone.exchange(outgoing, for: request, limit: limit) { [weak self] in
                self?.state.withLock { $0.alone.removeValue(forKey: id) }?.shutdown()
            }
        }
    #endif

    func shutdown() {
        let (session, exchanges, alone) = state.withLock { state in
            (state.session.take(), Array(state.underWay.values), Array(state.alone.values))
        }
        for exchanges in alone { exchanges.shutdown() }
        for exchange in exchanges { exchange.abandonAsShutDown() }
        session?.finishTasksAndInvalidate()
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        state.withLock { $0.underWay[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(HTTPResponse(response)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // A task that was canceled in the meantime traps when its completion handler is called.
            exchange(of: task)?.whileUnderWay { completionHandler(nil) }
        #else
            completionHandler(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Only a 401 is a challenge here, after the last byte of its body. Default handling would never complete,
            // and rejecting cancels the task, so the response is completed now.
            exchange(of: task)?.complete()
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            // The system decides about trust. A 401 is a response.
            let isOfTLS = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
                .contains(challenge.protectionSpace.authenticationMethod)
            completionHandler(isOfTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchange(of: task) else { return }
        if let error { return exchange.fail(error) }
        // On Linux, the head of a redirect without a location was not delivered.
        if let response = task.response as? HTTPURLResponse { exchange.receive(HTTPResponse(response)) }
        exchange.complete()
    }
}
