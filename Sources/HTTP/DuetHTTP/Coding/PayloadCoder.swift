import Duet
import Foundation
import HTTPTypes

/// Writes and reads the payloads of queries: JSON, raw bytes, or no content for an optional that is nil.
struct PayloadCoder<Payload: Codable & Sendable>: Sendable {
    private let json: JSONCoder
    private let isBytes = Payload.self == HTTPBytes.self || Payload.self == HTTPBytes?.self
    /// The value that an empty response means, or nil if the payload is not optional.
    private let absent: Payload?

    init(_ coding: HTTPCoding) {
        json = JSONCoder(coding)
        absent = (Payload.self as? any OptionalValue.Type)?.none as? Payload
    }

    /// Faults that keep the responses to a query from being read back.
    static func faults<Q: HTTPQuery>(of query: Q.Type, _ settings: HTTPSettings) -> [String] {
        let schema = ReflectedSchema()
        _ = try? SchemaDecoder(schema: schema).value(Payload.self)
        return schema.openKeyFaults((Q.route.coding ?? settings.coding).keys)
            .map { "\(Payload.self), the payload of \(Q.messageName), \($0)" }
    }

    /// Faults that keep the changes of a live query from being sent.
    func liveFaults<Q: HTTPQuery>(of query: Q.Type) -> [String] {
        guard isBytes, Q.route.liveQuery != nil else { return [] }
        let name = Q.messageName
        return ["\(name) is live, but its payload is bytes: events carry JSON. Remove .live() from its route."]
    }

    /// The media types of responses, for `Accept`, or nil if any type is possible.
    var mediaTypes: [String]? { isBytes ? nil : ["application/json"] }

    /// Whether a response of this media type can be read.
    ///
    /// A response without a media type is accepted.
    func reads(_ contentType: String?) -> Bool {
        guard let contentType, !isBytes else { return true }
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
        let response = try jsonResponse(with: payload)
        return absent != nil && response.body == Data("null".utf8) ? ServedResponse(status: .noContent) : response
    }

    /// The response whose content answers a command: without content it would be none, so an absent value is `null`.
    ///
    /// - Throws: As ``response(with:)``.
    func content(with payload: Payload) throws -> ServedResponse {
        try isBytes ? response(with: payload) : jsonResponse(with: payload)
    }

    private func jsonResponse(with payload: Payload) throws -> ServedResponse {
        ServedResponse(status: .ok, headers: [.contentType: "application/json"], body: try json.encode(payload))
    }

    /// Whether a response has no content and the payload is optional.
    ///
    /// JSON is never empty, but bytes may be.
    func isAbsent(_ response: HTTPResponse, _ body: Data) -> Bool {
        absent != nil && (response.status == .noContent || body.isEmpty && !isBytes)
    }

    /// The payload of a response.
    ///
    /// - Throws: ``HTTPMessageError`` if the body is not the expected JSON.
    func payload(of response: HTTPResponse, _ body: Data) throws -> Payload {
        if let absent, isAbsent(response, body) { return absent }
        guard isBytes else { return try json.decode(Payload.self, from: body) }
        let bytes = HTTPBytes(
            body,
            mediaType: response.headerFields[.contentType] ?? "application/octet-stream",
            entityTag: response.headerFields[.eTag].flatMap { EntityTag($0)?.strongText }
        )
        guard let payload = bytes as? Payload else { return try json.decode(Payload.self, from: body) }
        return payload
    }
}
