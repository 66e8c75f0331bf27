import Foundation
package import HTTPTypes

extension ServedResponse {
    /// Announces that ranges of the content can be requested, and reduces it to the one that a `GET` asks for
    /// (RFC 9110, section 14).
    ///
    /// Several ranges, other units, and a range of another version are answered with the whole content.
    package func ranged(for request: HTTPRequest) -> ServedResponse {
        guard status == .ok, let body else { return self }
        var response = self
        response.headers[.acceptRanges] = "bytes"
        guard request.method == .get, let range = request.headerFields[.range], isCurrent(in: request) else {
            return response
        }
        switch ByteRange(range).map({ $0.bounds(in: body.count) }) {
        case nil: break
        case .some(nil):
            response = ServedResponse(
                .rangeNotSatisfiable,
                "The content has \(body.count) bytes, and the range begins behind them.",
                headers: [.contentRange: "bytes */\(body.count)"]
            )
        case .some(let bounds?):
            response.status = .partialContent
            response.headers[.contentRange] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(body.count)"
            response.body = body[body.startIndex + bounds.lowerBound..<body.startIndex + bounds.upperBound]
        }
        return response
    }

    /// Whether the version that the range continues is this one (section 13.1.5); dates are not compared.
    private func isCurrent(in request: HTTPRequest) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        guard let known = EntityTag(condition), let tag = headers[.eTag].flatMap({ EntityTag($0) }) else {
            return false
        }
        return known.matchesStrongly(tag)
    }
}

/// A single range of bytes (RFC 9110, section 14.1.2).
private enum ByteRange {
    case from(Int, to: Int?)
    case last(Int)

    /// Returns nil for several ranges and for everything that is not a range of bytes.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, true): return nil
        case (true, false): self = .last(Self.number(ends[1]))
        case (false, true): self = .from(Self.number(ends[0]), to: nil)
        case (false, false):
            let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
            guard first <= last else { return nil }
            self = .from(first, to: last)
        }
    }

    /// A number too large for `Int` is behind every content.
    private static func number(_ digits: Substring) -> Int { Int(digits) ?? .max }

    func bounds(in count: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last): first < count ? first..<min(last ?? .max, count - 1) + 1 : nil
        case .last(let length): length > 0 && count > 0 ? max(0, count - length)..<count : nil
        }
    }
}
