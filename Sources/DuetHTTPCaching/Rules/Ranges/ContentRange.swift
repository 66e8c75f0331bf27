import DuetHTTP
package import HTTPTypes

/// Where a part lies in its representation (RFC 9110, section 14.4), in bytes.
package struct ContentRange: Sendable, Hashable {
    package let range: Range<Int64>
    package let completeLength: Int64?

    /// The one range that a response tells; nil for several, for another unit, and for what contradicts itself.
    package init?(_ response: HTTPResponse) {
        let lines = response.headerFields[values: .contentRange]
        guard lines.count == 1, let line = lines.first else { return nil }
        self.init(line)
    }

    package init?(_ value: String) {
        let bytes = Array(value.utf8)[...].trimmed
        guard bytes.prefix(6).map(FieldSyntax.lowercased).elementsEqual("bytes ".utf8) else { return nil }
        let parts = bytes.dropFirst(6).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: FieldSyntax.dash, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]), first <= last,
            last < Int64.max
        else { return nil }
        if parts[1].elementsEqual("*".utf8) {
            completeLength = nil
        } else {
            guard let length = Int64(digits: parts[1]), last < length, length < Int64.max else { return nil }
            completeLength = length
        }
        range = first..<last + 1
    }
}
