import Foundation

extension Date {
    /// Reads an ISO 8601 time with an offset, with or without fractional seconds: `2026-01-02T03:04:05.678+09:00`.
    init?(iso8601 text: String) {
        let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        for style in styles {
            if let date = try? style.parse(text) {
                self = date
                return
            }
        }
        return nil
    }
}
