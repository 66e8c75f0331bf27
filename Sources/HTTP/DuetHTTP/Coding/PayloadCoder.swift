import Duet
import Foundation
import HTTPTypes

/// Writes and reads the payloads of queries: JSON, raw bytes, or no content for an optional that is nil.
struct PayloadCoder<Payload: Codable & Sendable>: Sendable {
    private static var isBytes: Bool { Payload.self == HTTPBytes.self || Payload.self == HTTPBytes?.self }

    private let json: JSONCoder
    /// Created once, because each creation checks the value.
    private let jsonHeaders: HTTPFields = [.contentType: "application/json"]
    /// The name of the member that holds the payload; nil if the payload is the whole document.
    private let envelope: String?
    private let isBytes = Self.isBytes
    /// The value that an empty response means, or nil if the payload is not optional.
    private let absent: Payload?

    init<Q: PayloadQuery>(of query: Q.Type, _ settings: HTTPSettings) where Q.Payload == Payload {
        let message = query as? any HTTPMessage.Type
        json = JSONCoder(message?.declaredCoding ?? settings.coding)
        envelope = message?.declaredEnvelope
        absent = (Payload.self as? any OptionalValue.Type)?.none as? Payload
    }

    /// Faults that keep the responses to a query from being read back.
    static func faults<Q: HTTPQuery>(of query: Q.Type, _ settings: HTTPSettings) -> [String] {
        guard !isBytes else {
            return [("live()", Q.route.liveQuery != nil), ("envelope(_:)", Q.route.envelope != nil)].filter(\.1)
                .map {
                    "\(Q.messageName) has a payload of bytes, which .\($0.0) cannot carry. Remove it from its route."
                }
        }
        let schema = ReflectedSchema()
        _ = try? SchemaDecoder(schema: schema).value(Payload.self)
        return schema.openKeyFaults((Q.route.coding ?? settings.coding).keys)
            .map { "\(Payload.self), the payload of \(Q.messageName), \($0)" }
    }

    /// The media types of responses, for `Accept`, or nil if any type is possible.
    var mediaTypes: [String]? { isBytes ? nil : ["application/json"] }

    /// Whether a response of this media type can be read.
    ///
    /// A response without a media type, or with an empty one, is accepted.
    func reads(_ contentType: String?) -> Bool {
        guard let contentType, !contentType.isEmpty, !isBytes else { return true }
        return MediaType(contentType)?.isJSON == true
    }

    /// The response that carries a payload.
    ///
    /// - Throws: `EncodingError` for values that JSON cannot hold, and for bytes whose media type is not a valid field
    ///   value.
    func response(with payload: Payload) throws -> ServedResponse {
        if isBytes {
            guard let bytes = payload as? HTTPBytes else { return ServedResponse(status: .noContent) }
            guard bytes.hasSendableType else {
                let reason = "its bytes must have a media type that a header can hold"
                throw EncodingError.invalidValue(bytes.mediaType, .init(codingPath: [], debugDescription: reason))
            }
            return ServedResponse(
                status: .ok,
                headers: [.contentType: bytes.mediaType],
                body: bytes.data,
                entityTag: bytes.entityTag
            )
        }
        if envelope != nil, (payload as? any OptionalValue)?.isNil == true { return ServedResponse(status: .noContent) }
        let response = try jsonResponse(with: payload)
        return absent != nil && response.body == Self.null ? ServedResponse(status: .noContent) : response
    }

    /// The response whose content answers a command: without content it would be none, so an absent value is `null`.
    ///
    /// - Throws: As ``response(with:)``.
    func content(with payload: Payload) throws -> ServedResponse {
        try isBytes ? response(with: payload) : jsonResponse(with: payload)
    }

    private func jsonResponse(with payload: Payload) throws -> ServedResponse {
        let body = try envelope.map { try json.encode([$0: payload]) } ?? json.encode(payload)
        return ServedResponse(status: .ok, headers: jsonHeaders, body: body)
    }

    /// Whether a response has no content and the payload is optional.
    ///
    /// JSON is never empty, but bytes may be.
    func isAbsent(_ response: HTTPResponse, _ body: Data) -> Bool {
        absent != nil && (response.status == .noContent || body.isEmpty && !isBytes)
    }

    private static var null: Data { Data("null".utf8) }

    /// The payload of a response.
    ///
    /// - Throws: ``HTTPMessageError`` if the body is not the expected JSON.
    func payload(of response: HTTPResponse, _ body: Data) throws -> Payload {
        // An event without a value has no envelope.
        if let absent, isAbsent(response, body) || envelope != nil && body == Self.null { return absent }
        let type = response.headerFields[.contentType]
        let tag = response.headerFields[.eTag].flatMap { EntityTag($0)?.strongText }
        if isBytes,
            let payload = HTTPBytes(
                body,
                mediaType: MediaType(type)?.text ?? type ?? "application/octet-stream",
                entityTag: tag
            ) as? Payload
        {
            return payload
        }
        return try json.decode(Payload.self, from: body, in: envelope)
    }
}
