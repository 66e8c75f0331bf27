public import Duet
public import Foundation

extension QueryState {
    /// When the value was loaded; nil if that is not known.
    public var date: Date? { loaded.map { Date(timeIntervalSinceReferenceDate: $0) } }
}

/// An error for a load that took longer than the hard timeout of its policy.
public struct CacheTimeout: Error, Hashable, CustomStringConvertible {
    package let query: String

    package let timeout: Duration

    /// The query and its timeout.
    public var description: String {
        "\(query) was not loaded within \(timeout.text). The load continues, and a later read may find its value."
    }
}
