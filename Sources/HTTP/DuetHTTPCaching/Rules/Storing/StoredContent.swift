import DuetHTTP
import HTTPTypes

/// The stored bytes of a representation (RFC 9111, section 3.3).
package enum StoredContent: Sendable, Hashable, Codable {
    /// No body: a response to HEAD, or one whose body has not arrived yet.
    case none

    /// The whole representation of this length.
    case whole(Int64)

    /// A range of the representation.
    ///
    /// `of` is the length of the whole, if known.
    case part(Range<Int64>, of: Int64?)

    /// The range of the stored bytes in the representation.
    package var range: Range<Int64> {
        switch self {
        case .none: 0..<0
        case .whole(let length): 0..<length
        case .part(let range, _): range
        }
    }

    /// The length of the whole representation, if known.
    package var completeLength: Int64? {
        switch self {
        case .none: nil
        case .whole(let length): length
        case .part(_, let length): length
        }
    }

    /// Whether the range is valid.
    ///
    /// A damaged store may return an invalid one.
    var isConsistent: Bool {
        switch self {
        case .none: true
        case .whole(let length): length >= 0
        case .part(let range, let length): range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= length ?? .max
        }
    }
}

extension StoredResponse {
    /// The response with the received bytes of its body, or nil if it cannot be stored (RFC 9111, section 3.3).
    ///
    /// An incomplete body is stored only with a strong validator, so that a later request can complete it.
    package func received(_ count: Int64, completely: Bool) -> StoredResponse? {
        if method == .head { return completely ? self : nil }
        if response.status.code == 206 { return receivedPart(count) }
        let announced = announcedLength
        if completely {
            return announced ?? count == count ? replacing(content: .whole(count)) : nil
        }
        guard response.status.code == 200, count > 0, announced.map({ count < $0 }) ?? true, isCompletable else {
            return nil
        }
        return replacing(content: .part(0..<count, of: announced))
    }

    /// The response to a range request with its received bytes; the whole one if they are the whole representation.
    private func receivedPart(_ count: Int64) -> StoredResponse? {
        guard let announced = ContentRange(response), count > 0, count <= announced.range.length else {
            return nil
        }
        let range = announced.range.lowerBound..<announced.range.lowerBound + count
        return replacing(content: .part(range, of: announced.completeLength)).completed
    }

    /// The response with status 200 if the stored part is the whole representation (RFC 9111, section 3.4).
    var completed: StoredResponse {
        guard case .part(let range, let length?) = content, range == 0..<length else { return self }
        return replacing(response: response.whole(length), content: .whole(length))
    }

    private var isCompletable: Bool {
        guard let tag = fields.entityTag, !tag.isWeak else { return false }
        return response.headerFields[.acceptRanges]?.lowercased() != "none"
    }

    var announcedLength: Int64? {
        method == .head ? 0 : fields.contentLength
    }
}

extension HTTPResponse {
    /// The head of the whole representation, made from that of a part.
    func whole(_ length: Int64) -> HTTPResponse {
        var head = self
        head.status = .ok
        head.headerFields[.contentRange] = nil
        head.headerFields[.contentLength] = "\(length)"
        return head
    }
}
