/// How the keys and dates of messages and values are written.
public struct HTTPCoding: Hashable, Sendable {
    /// How a property's name becomes the name of a parameter or of a JSON member.
    @nonexhaustive
    public enum Keys: Hashable, Sendable {
        /// As it stands in the code.
        case asWritten

        /// `createdAt` as `created_at`, and `imageURL` as `image_url`.
        case snakeCase
    }

    /// How a date is written.
    @nonexhaustive
    public enum Dates: Hashable, Sendable {
        /// RFC 3339 in universal time, with as many digits of the second as it takes to read the same date back.
        case rfc3339

        /// Seconds since 1970, with a fraction where there is one; a date comes back to within a microsecond.
        case secondsSince1970

        /// Whole milliseconds since 1970; finer fractions are lost.
        case millisecondsSince1970
    }

    /// How names are written.
    public var keys: Keys

    /// How dates are written.
    public var dates: Dates

    /// Names as they stand in the code and dates as RFC 3339, unless told otherwise.
    public init(keys: Keys = .asWritten, dates: Dates = .rfc3339) {
        self.keys = keys
        self.dates = dates
    }
}
