import DuetHTTP
import FeedFeature
package import Foundation

extension URL {
    /// The address of a backend in its values, in place of which each client gets the one that it knows.
    package static let backendAddress = "http://localhost"

    /// Parses a URL of a response.
    ///
    /// - Throws: `InvalidMessage` with the path to the value, also for a URL without a scheme.
    init(wireText: String, at path: String) throws {
        guard let url = URL(string: wireText), url.scheme != nil else {
            throw InvalidMessage(field: path, reason: "must be a URL with a scheme")
        }
        self = url
    }

    /// The text of the URL, at another address if it is one of a backend.
    func text(at address: String) -> String {
        absoluteString.hasPrefix("\(Self.backendAddress)/")
            ? address + absoluteString.dropFirst(Self.backendAddress.count) : absoluteString
    }
}

extension Date {
    /// The date with milliseconds, as the backend sends it.
    var wireText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    /// Parses a date of a response.
    ///
    /// - Throws: `InvalidMessage` with the path to the value.
    init(wireText: String, at path: String) throws {
        guard let date = Date(rfc3339: wireText) else {
            throw InvalidMessage(field: path, reason: "must be a date such as 2020-05-20T11:24:59+0000")
        }
        self = date
    }
}
