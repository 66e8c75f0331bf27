import DuetHTTP
import FeedFeature
import Foundation

extension URL {
    /// Returns this URL if it has a scheme.
    ///
    /// - Throws: `InvalidMessage` with the path to the value.
    func checked(at path: String) throws -> URL {
        guard scheme != nil else { throw InvalidMessage(field: path, reason: "must be a URL with a scheme") }
        return self
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
