public import Duet
import DuetContext
package import Foundation
package import HTTPTypes

/// Why a request got no complete response.
///
/// URLs in these errors consist of scheme, host and path, as they were sent. Put secrets into a query, a field or a
/// body: those are never part of an error.
@nonexhaustive
public enum HTTPClientError: Error {
    /// The request cannot be sent as it is: it has no scheme or authority, or another scheme than `http` or `https`.
    case invalidRequest(reason: String)

    /// There was no connection, it broke before the response was complete, or the response is not HTTP.
    case connectionFailed(url: String, reason: String? = nil, underlying: any Error)

    /// The response was not complete within the deadline.
    case deadlineExceeded(url: String, after: Duration)

    /// The response's body is larger than the client accepts.
    case bodyTooLarge(url: String, limit: Int)

    /// The server redirected in a loop, or more often than the client follows.
    case tooManyRedirects(url: String)

    /// The server redirected to an address that the client does not follow.
    case redirectRefused(url: String, reason: String)

    /// The request was not sent, because too many others already wait.
    case tooManyWaiting(url: String, limit: Int)

    /// The client was shut down before the response was complete.
    case shutDown(url: String)

    /// Several attempts failed; `last` is the error of the last one, and so is ``reason``.
    indirect case attemptsFailed([HTTPAttempt], last: HTTPClientError)
}

extension HTTPClientError {
    /// The error of the last attempt, or the error itself if there was only one.
    ///
    /// Match on this, so that retries make no difference.
    public var reason: HTTPClientError {
        guard case .attemptsFailed(_, let last) = self else { return self }
        return last.reason
    }

    /// Whether the server certainly did nothing, so that any request may be sent again.
    ///
    /// There was no connection, or the server closed it without processing the request. False if that is not known.
    public var isUnsent: Bool {
        switch self {
        case .connectionFailed(_, _, let underlying): underlying is NotConnected
        case .attemptsFailed(let attempts, _): attempts.allSatisfy(\.isUnsent)
        default: false
        }
    }

    /// The same error for a request that may have been sent in part, or that was sent before a redirect.
    package var afterSending: HTTPClientError {
        switch self {
        case .connectionFailed(let url, let reason, let underlying as NotConnected):
            .connectionFailed(url: url, reason: reason, underlying: underlying.underlying)
        case .attemptsFailed(let attempts, let last):
            .attemptsFailed(attempts.map(\.afterSending), last: last.afterSending)
        default: self
        }
    }

    package var attempts: [HTTPAttempt] {
        guard case .attemptsFailed(let attempts, _) = self else { return [] }
        return attempts
    }
}

extension HTTPClientError: DescribedError {
    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .invalidRequest(let reason):
            "The request cannot be sent: \(reason)."
        case .connectionFailed(let url, let reason, let underlying):
            "No response from \(url): \(reason ?? "\(underlying)")."
                + ((underlying as? NotConnected).map { " \($0.advice)" } ?? "")
        case .deadlineExceeded(let url, let duration):
            "No complete response from \(url) within \(duration.text)."
        case .bodyTooLarge(let url, let limit):
            "The response from \(url) is larger than \(limit) bytes. Raise the client's body limit if that is right."
        case .tooManyRedirects(let url):
            "\(url) redirects in a loop or too often."
        case .redirectRefused(let url, let reason):
            "\(url) redirects to an address that this client does not follow: \(reason)."
        case .tooManyWaiting(let url, let limit):
            "Not sent to \(url): \(limit) requests already wait. Send fewer at a time, or let more of them wait."
        case .shutDown(let url):
            "No response from \(url): this HTTP client was shut down. Send requests before shutting it down."
        case .attemptsFailed(let attempts, let last):
            "\(attempts.count) attempts failed\(Self.otherErrors(attempts, last)). \(last)"
        }
    }
}

extension HTTPClientError {
    /// The errors of the attempts that differ from the last one, in parentheses.
    private static func otherErrors(_ attempts: [HTTPAttempt], _ last: HTTPClientError) -> String {
        var texts: [String] = []
        for text in attempts.map(\.description) where text != last.description && text != texts.last {
            texts.append(text)
        }
        return texts.isEmpty ? "" : " (\(texts.map(\.asClause).joined(separator: "; ")))"
    }
}

/// The error of a request that the server certainly did not process, mostly because there was no connection.
///
/// A custom client throws ``HTTPClientError/connectionFailed(url:reason:underlying:)`` with this around the underlying
/// error, so that ``HTTPClientError/isUnsent`` is true.
public struct NotConnected: Error {
    /// The error that prevented the connection.
    public let underlying: any Error

    let advice: String

    /// Creates an error around the one that prevented the connection.
    public init(_ underlying: any Error) {
        self.init(underlying, advice: "Is the server running there?")
    }

    package init(_ underlying: any Error, advice: String) {
        self.underlying = underlying
        self.advice = advice
    }
}

extension NotConnected: CustomStringConvertible {
    /// The description of the underlying error.
    public var description: String { "\(underlying)" }
}

/// An error whose `localizedDescription` is its description, so that an alert shows as much as a log.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The error's own description.
    public var errorDescription: String? { description }
}

extension InvalidBaseURL: DescribedError {}
extension InvalidMessageAPI: DescribedError {}
extension TokenUnavailable: DescribedError {}
extension UnsendableProblem: DescribedError {}

/// The error of a head whose text nothing may compare, because that could take minutes.
package struct InvalidHead: Error, CustomStringConvertible {
    package var description: String { "the head of the response \(ForeignText.markReason)" }
}

extension HTTPResponse {
    /// Checks the text of a received head.
    ///
    /// - Throws: ``InvalidHead`` if a field has more combining characters in a row than any language uses.
    package func checkText() throws(InvalidHead) {
        guard !ForeignText.hasLongRun(status.reasonPhrase.utf8),
            headerFields.allSatisfy({ !ForeignText.hasLongRun($0.value.utf8) })
        else { throw InvalidHead() }
    }
}
