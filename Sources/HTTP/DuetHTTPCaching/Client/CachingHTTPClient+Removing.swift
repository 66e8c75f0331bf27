public import DuetHTTP
public import Foundation
public import HTTPTypes
import Synchronization

/// Removal of responses.
///
/// Use these methods instead of those of the store: after those, responses that are being received are still stored.
extension CachingHTTPClient {
    /// Removes all responses, for example at a logout, and stores none that has been requested before.
    ///
    /// - Throws: The store's error. The responses may still be in its files then, but this client does not serve them.
    public func removeAll() async throws {
        try await engine.removeAll()
    }

    /// Removes the responses to a request in all partitions, and stores none that has been requested before.
    ///
    /// If the store fails, the failure is reported, and this client serves nothing from it until everything has been
    /// removed.
    ///
    /// - Throws: ``HTTPCacheError/noTarget(url:)`` if no response to such a URI can be stored.
    public func removeAll(answering request: HTTPRequest) async throws {
        try await engine.removeAll(answering: request)
    }

    /// Removes the responses to a query in all partitions, and stores none that has been requested before.
    ///
    /// ```swift
    /// try await cache.removeAll(answering: LoadNotes(), at: server)
    /// ```
    ///
    /// If the store fails, the failure is reported, and this client serves nothing from it until everything has been
    /// removed.
    ///
    /// - Parameters:
    ///   - query: The query with the values that it was sent with.
    ///   - server: The address of the `HTTPDispatcher` that sends the query.
    ///   - settings: The settings of that dispatcher.
    /// - Throws: The error of a dispatcher for a query that cannot be sent.
    public func removeAll(
        answering query: some HTTPQuery,
        at server: BaseURL,
        settings: HTTPSettings = HTTPSettings()
    ) async throws {
        try await removeAll(answering: RequestCapture.request(for: query, to: server, settings))
    }

    /// Removes the responses to a URL with any query and to all URLs below it, and stores none that has been requested
    /// before.
    ///
    /// ```swift
    /// if let url = URL(string: "https://api.example/notes") {
    ///     try await cache.removeAll(under: url)  // also /notes?page=2 and /notes/7
    /// }
    /// ```
    ///
    /// `/notes?page=2` and `/notes/7` are below `https://api.example/notes`, and `/notes2` is not. All partitions are
    /// affected. If the store fails, the failure is reported, and this client serves nothing from it until everything
    /// has been removed.
    ///
    /// - Throws: ``HTTPCacheError/noTarget(url:)`` if no response to such a URL can be stored.
    public func removeAll(under url: URL) async throws {
        // HTTPTypes traps on a URL without a scheme.
        guard url.absoluteURL.scheme != nil else { throw HTTPCacheError.noTarget(url: url.path) }
        try await engine.removeAll(under: HTTPRequest(method: .get, url: url))
    }
}

private final class RequestCapture: HTTPClient {
    private struct Captured: Error {}

    private let request = Mutex<HTTPRequest?>(nil)

    static func request(
        for query: some HTTPQuery,
        to server: BaseURL,
        _ settings: HTTPSettings
    ) async throws -> HTTPRequest {
        let capture = RequestCapture()
        do {
            _ = try await HTTPDispatcher(baseURL: server, client: capture, settings: settings).dispatch(query)
        } catch {
            guard let request = capture.request.withLock(\.self) else { throw error }
            return request
        }
        preconditionFailure("The client never responds.")
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        self.request.withLock { $0 = request }
        throw Captured()
    }
}

/// An error of an HTTP cache.
@nonexhaustive
public enum HTTPCacheError: Error, Hashable, CustomStringConvertible {
    /// The URL is not an HTTP URI with a host, or has a fragment or invalid characters, so that no response is stored.
    case noTarget(url: String)

    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .noTarget(let url):
            "No response to \(url) can be stored. Use an http or https URL with a host and a percent-encoded path, and "
                + "without a fragment."
        }
    }
}
