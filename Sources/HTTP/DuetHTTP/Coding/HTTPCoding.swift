/// The representation of keys and dates in messages and values.
public struct HTTPCoding: Hashable, Sendable {
    /// The mapping from property names to the names of parameters and JSON members.
    @nonexhaustive
    public enum Keys: Hashable, Sendable {
        /// The name of the property.
        case asWritten

        /// Snake case: `createdAt` as `created_at`, and `imageURL` as `image_url`.
        case snakeCase
    }

    /// The format of dates.
    @nonexhaustive
    public enum Dates: Hashable, Sendable {
        /// RFC 3339 in universal time, rounded to a number of digits after the point, from 0 to 9.
        ///
        /// With nil, there are as many as are needed to read the same date back.
        case rfc3339(digits: Int?)

        /// RFC 3339 in universal time, with the digits that read the same date back: `.001`, not `.0009999`.
        public static var rfc3339: Self { .rfc3339(digits: nil) }

        /// Seconds since 1970 with a fraction.
        ///
        /// Dates are accurate to a microsecond.
        case secondsSince1970

        /// Whole milliseconds since 1970.
        ///
        /// Smaller fractions are lost.
        case millisecondsSince1970
    }

    package var keys: Keys
    package var dates: Dates

    /// Creates a coding, by default with unchanged names and RFC 3339 dates.
    ///
    /// - Parameters:
    ///   - keys: The mapping of names.
    ///   - dates: The format of dates.
    public init(keys: Keys = .asWritten, dates: Dates = .rfc3339) {
        self.keys = keys
        self.dates = dates
    }
}
