public import Duet
package import Foundation

/// An error whose `localizedDescription` is its description, so that an alert shows as much as a log.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The error's own description.
    public var errorDescription: String? { description }
}

extension HTTPClientError: DescribedError {}
extension HTTPFailure: DescribedError {}
extension HTTPMessageError: DescribedError {}
extension InvalidBaseURL: DescribedError {}
extension InvalidMessageAPI: DescribedError {}
extension TokenUnavailable: DescribedError {}
extension UnsendableProblem: DescribedError {}
