import DuetHTTP
import HTTPTypes

extension StoredResponse {
    /// The response with its body, of which that many bytes came; nil when it cannot be stored (RFC 9111, section 3.3).
    ///
    /// An incomplete body is kept only where a strong validator lets a later request complete it.
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

    /// What the answer to a range request holds; all of the representation when the range was all of it.
    private func receivedPart(_ count: Int64) -> StoredResponse? {
        guard let announced = ContentRange(response), count > 0, count <= announced.range.length else {
            return nil
        }
        let range = announced.range.lowerBound..<announced.range.lowerBound + count
        return replacing(content: .part(range, of: announced.completeLength)).completed
    }

    /// With status 200 and as whole, when the stored part is all there is (RFC 9111, section 3.4).
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

    /// How many bytes of body the head announces, as far as it does.
    var announcedLength: Int64? {
        method == .head ? 0 : fields.contentLength
    }
}
