import DuetHTTP
package import Foundation

/// Non-negative whole seconds with an upper limit (RFC 9111, section 1.2.2).
package enum DeltaSeconds {
    /// The largest 32-bit integer: about 68 years.
    package static let limit = Int(Int32.max)

    /// Parses a number that consists of digits only; nil for any other text.
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

extension Int64 {
    /// Parses a number that consists of digits only; a larger number than fits becomes the largest.
    init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for byte in digits {
            guard FieldSyntax.isDigit(byte) else { return nil }
            let (product, overflow) = multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            // Further digits overflow again, so that the result stays the largest value.
            self = overflow || isTooLarge ? .max : sum
        }
    }
}
