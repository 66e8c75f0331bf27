import DuetHTTP
import Foundation
import HTTPTypes

/// Whether a stored response holds the bytes that a request needs (RFC 9111, sections 3.3 and 3.4).
enum Coverage: Hashable {
    case covered
    /// The request needs the whole representation, and these bytes are missing.
    case completable(Range<Int64>)
    case uncovered
}

extension StoredResponse {
    func coverage(of request: HTTPRequest) -> Coverage {
        guard case .part(let part, let length) = content else { return .covered }
        // HEAD needs only the length of the representation.
        guard request.method == .get else { return length == nil ? .uncovered : .covered }
        guard let range = RangeRequest(request), ifRangeHolds(request) else {
            return missingRest(of: part, length).map(Coverage.completable) ?? .uncovered
        }
        if let length {
            let wanted = range.resolved(in: length)
            return wanted.isEmpty || part.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.upperBound
                ? .covered : .uncovered
        }
        if case .from(let first, let end?) = range, part.lowerBound <= first, end <= part.upperBound { return .covered }
        return .uncovered
    }

    /// The range that completes the part, if one range does and a strong entity tag identifies the representation.
    private func missingRest(of part: Range<Int64>, _ length: Int64?) -> Range<Int64>? {
        guard let tag = fields.entityTag, !tag.isWeak else { return nil }
        if part.lowerBound == 0 { return part.upperBound < length ?? .max ? part.upperBound..<(length ?? .max) : nil }
        return part.upperBound == length ? 0..<part.lowerBound : nil
    }

    /// Whether `If-Range` is missing or has a strong validator that matches (RFC 9110, section 13.1.5).
    func ifRangeHolds(_ request: HTTPRequest) -> Bool {
        let conditions = request.headerFields[fields: .ifRange].map(\.bytes)
        guard let condition = conditions.first else { return true }
        guard conditions.count == 1 else { return false }
        if let tag = EntityTag(condition), let own = fields.entityTag, tag.matchesStrongly(own) { return true }
        // A date is strong if the response is at least a second newer (section 8.8.2.2).
        guard let lastModified = fields.lastModified, fields.date.timeIntervalSince(lastModified) >= 1 else {
            return false
        }
        return condition == response.headerFields[fields: .lastModified].first?.bytes
    }
}
