import DuetHTTP
package import HTTPTypes

/// The single range of bytes that a request asks for (RFC 9110, section 14.1.2).
package enum RangeRequest: Sendable, Hashable {
    /// The bytes from the first number up to, but not including, the second, or to the end.
    case from(Int64, to: Int64?)
    /// This number of bytes at the end.
    case last(Int64)

    /// Reads the range of a request.
    ///
    /// Fails if the response is the whole representation: without a range, and for several ranges, another unit or
    /// invalid syntax.
    package init?(_ request: HTTPRequest) {
        guard request.method == .get else { return nil }
        let lines = request.headerFields[values: .range]
        guard lines.count == 1, let line = lines.first else { return nil }
        self.init(line)
    }

    package init?(_ value: String) {
        let bytes = Array(value.utf8)[...].trimmed
        guard bytes.prefix(6).map(FieldSyntax.lowercased).elementsEqual("bytes=".utf8) else { return nil }
        let ranges = FieldList.members(of: bytes.dropFirst(6).text)
        guard ranges.count == 1, let range = ranges.first else { return nil }
        let ends = range.split(separator: FieldSyntax.dash, omittingEmptySubsequences: false).map(\.trimmed)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Int64(digits: ends[1]) else { return nil }
            self = .last(count)
            return
        }
        guard let first = Int64(digits: ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .from(first, to: nil)
        } else {
            guard let last = Int64(digits: ends[1]), first <= last else { return nil }
            self = .from(first, to: last == .max ? nil : last + 1)
        }
    }

    /// Whether the range is the last bytes of an empty representation.
    ///
    /// These are all of it, which `Content-Range` cannot express.
    func isOfAll(_ length: Int64) -> Bool {
        if case .last(let count) = self { length == 0 && count > 0 } else { false }
    }

    /// The range in a representation of a length; empty if that has none of the bytes (section 15.5.17).
    package func resolved(in length: Int64) -> Range<Int64> {
        switch self {
        case .from(let first, let end):
            first < length ? first..<min(end ?? length, length) : length..<length
        case .last(let count):
            max(0, length - count)..<length
        }
    }
}
