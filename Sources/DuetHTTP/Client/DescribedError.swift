package import Foundation

/// An error whose `localizedDescription` is its description too, so that it says as much in an alert as in a log.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// What the error says of itself.
    public var errorDescription: String? { description }
}

extension HTTPClientError: DescribedError {}
extension HTTPFailure: DescribedError {}
extension HTTPMessageError: DescribedError {}
extension InvalidBaseURL: DescribedError {}
extension InvalidHTTPAPI: DescribedError {}
extension TokenUnavailable: DescribedError {}
extension UnsendableProblem: DescribedError {}
