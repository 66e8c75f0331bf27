import DuetHTTP
import HTTPTypes

extension StoredResponse {
    /// The response with a body of which a number of bytes were received, or nil if it cannot be stored (RFC 9111,
    /// section 3.3).
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

    /// The content of the response to a range request; the whole representation if the range covers it.
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
        var head = response
        head.status = .ok
        head.headerFields[.contentRange] = nil
        head.headerFields[.contentLength] = "\(length)"
        return replacing(response: head, content: .whole(length))
    }

    private var isCompletable: Bool {
        guard let tag = fields.entityTag, !tag.isWeak else { return false }
        return response.headerFields[.acceptRanges]?.lowercased() != "none"
    }

    /// The length of the body that the head announces, if any.
    var announcedLength: Int64? {
        method == .head ? 0 : fields.contentLength
    }
}
