import Foundation
import HTTPTypes

extension HTTPResponse {
    /// How long the server asks to wait (RFC 9110, section 10.2.3): in seconds, or until a date, which is counted from the
    /// answer's own `Date`, because the two clocks may differ; nil when it does not ask, or not so that it can be read.
    func retryAfter(_ now: () -> Date) -> Duration? {
        guard let value = headerFields[.retryAfter]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else {
            return nil
        }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(Int64(value) ?? .max)
        }
        let now = now()
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        let start = headerFields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
        return .seconds(date.timeIntervalSince(start))
    }
}
