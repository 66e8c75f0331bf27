package import Foundation

/// Non-negative whole seconds, limited to a largest value (RFC 9111, section 1.2.2).
package enum DeltaSeconds {
    /// The largest 32-bit integer: about 68 years.
    package static let limit = Int(Int32.max)

    /// The number of a text that consists of digits only, or nil.
    package static func parse(_ text: some Collection<UInt8>) -> Int? {
        Int64(digits: text).map { Int(min($0, Int64(limit))) }
    }

    /// The whole seconds of an interval; 0 for a negative one.
    package static func clamped(_ interval: TimeInterval) -> Int {
        guard interval > 0 else { return 0 }
        return interval < Double(limit) ? Int(interval) : limit
    }

    /// The whole seconds of a duration.
    package static func clamped(_ duration: Duration) -> Int {
        Int(min(max(duration.components.seconds, 0), Int64(limit)))
    }
}
