import Duet
import Foundation
import HTTPTypes

/// Writes and reads what queries are answered with: JSON, bytes as they are, or nothing for an optional that is nil.
struct PayloadCoder<Payload: Codable & Sendable>: Sendable {
    private let json: JSONCoder
    private let isBytes = Payload.self == HTTPBytes.self || Payload.self == HTTPBytes?.self
    /// What no content stands for; nil when there must be some.
    private let absent: Payload?

    init(_ coding: HTTPCoding) {
        json = JSONCoder(coding)
        absent = (Payload.self as? any OptionalValue.Type)?.none as? Payload
    }

    /// What keeps answers to a query from being read back.
    static func faults<Q: HTTPQuery>(of query: Q.Type, _ settings: HTTPSettings) -> [InvalidHTTPAPI.Fault] {
        let node = ProbeNode()
        _ = try? ProbingDecoder(node: node).value(Payload.self)
        return node.openKeyFaults((Q.coding ?? settings.coding).keys)
            .map { .init([Q.messageName], "\(Payload.self), the payload of \(Q.messageName), \($0)") }
    }

    /// The media types of answers, for `Accept`; nil when only the answer tells.
    var mediaTypes: [String]? { isBytes ? nil : ["application/json"] }

    /// What an answer of this media type is read as can be in the payload; an answer that does not say is taken at its word.
    func reads(_ contentType: String?) -> Bool {
        guard let contentType, !isBytes else { return true }
        return MediaType(contentType)?.isJSON == true
    }

    /// The answer that carries a payload.
    ///
    /// - Throws: `EncodingError` when it cannot be written as JSON, or is bytes of a media type that no field holds.
    func answer(with payload: Payload) throws -> HTTPAnswer {
        if isBytes {
            guard let bytes = payload as? HTTPBytes else { return HTTPAnswer(status: .noContent) }
            guard bytes.hasSendableType else {
                let reason = "its bytes must have a media type that a header can hold"
                throw EncodingError.invalidValue(bytes.mediaType, .init(codingPath: [], debugDescription: reason))
            }
            return HTTPAnswer(
                status: .ok,
                headers: [.contentType: bytes.mediaType],
                body: bytes.data,
                entityTag: bytes.entityTag
            )
        }
        let body = try json.encode(payload)
        if absent != nil, body == Data("null".utf8) { return HTTPAnswer(status: .noContent) }
        return HTTPAnswer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// Whether an answer has nothing in it, and nothing is what an optional may be answered with.
    ///
    /// JSON is never empty, but bytes may be.
    func isAbsent(_ response: HTTPResponse, _ body: Data) -> Bool {
        absent != nil && (response.status == .noContent || body.isEmpty && !isBytes)
    }

    /// The payload that an answer carries.
    ///
    /// - Throws: `DecodingError` when the body is not the JSON that was agreed on.
    func payload(of response: HTTPResponse, _ body: Data) throws -> Payload {
        if let absent, isAbsent(response, body) { return absent }
        guard isBytes else { return try json.decode(Payload.self, from: body) }
        let bytes = HTTPBytes(
            body,
            mediaType: response.headerFields[.contentType] ?? "application/octet-stream",
            entityTag: response.headerFields[.eTag].flatMap(Self.strongTag)
        )
        guard let payload = bytes as? Payload else { return try json.decode(Payload.self, from: body) }
        return payload
    }

    /// An entity tag without its quotes, or nil for a weak one (RFC 9110, section 8.8.3).
    private static func strongTag(_ field: String) -> String? {
        guard field.count >= 2, field.hasPrefix("\""), field.hasSuffix("\"") else { return nil }
        return String(field.dropFirst().dropLast())
    }
}
