import DuetHTTP
package import HTTPTypes

/// The position of a part in its representation, in bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    package let range: Range<Int64>
    package let completeLength: Int64?

    /// Reads the range of a response.
    ///
    /// Fails without a range, and for several fields, another unit or contradictory numbers.
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

extension Range<Int64> {
    /// The number of bytes.
    ///
    /// `count` is an `Int`, which has 32 bits on some devices.
    package var length: Int64 { upperBound - lowerBound }
}
