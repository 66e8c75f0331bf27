package import Foundation

/// Whole seconds as caches count them (RFC 9111, section 1.2.2): never negative, and what is too large is the largest there is.
package enum DeltaSeconds {
    /// About 68 years: the largest number that also fits where an integer has 32 bits.
    package static let limit = Int(Int32.max)

    /// The number that nothing but digits tell, or nil.
    package static func parse(_ text: some Collection<UInt8>) -> Int? {
        Int64(digits: text).map { Int(min($0, Int64(limit))) }
    }

    /// Whole seconds of an interval; one that runs backwards is 0.
    package static func clamped(_ interval: TimeInterval) -> Int {
        guard interval > 0 else { return 0 }
        return interval < Double(limit) ? Int(interval) : limit
    }

    /// Whole seconds of a duration.
    package static func clamped(_ duration: Duration) -> Int {
        Int(min(max(duration.components.seconds, 0), Int64(limit)))
    }
}
