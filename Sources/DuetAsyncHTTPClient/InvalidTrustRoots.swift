public import DuetHTTP
import Foundation

/// A text that should hold certificates of authorities and does not.
public struct InvalidTrustRoots: Error {
    /// What the parser says; nil when the text holds no certificate.
    public let underlying: (any Error)?
}

extension InvalidTrustRoots: DescribedError {
    /// What is wrong and what to give instead.
    public var description: String {
        let fault = underlying.map { "a certificate cannot be read (\($0))" } ?? "there is no certificate in the text"
        return "Nothing to trust: \(fault). Give certificates in PEM, which begin with -----BEGIN CERTIFICATE-----."
    }
}
