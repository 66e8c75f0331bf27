import Duet
import HTTPTypes

/// Reads the contents of responses that carry the payloads of a query.
struct AnswerContents<Payload: Codable & Sendable>: Sendable {
    let payloads: PayloadCoder<Payload>
    let acceptsAnyMediaType: Bool

    init<Q: PayloadQuery>(of query: Q.Type, _ settings: HTTPSettings) where Q.Payload == Payload {
        acceptsAnyMediaType = settings.acceptsAnyMediaType
        payloads = PayloadCoder(of: query, settings)
    }

    /// The media types for `Accept`; nil for any.
    var mediaTypes: String? { payloads.mediaTypes?.joined(separator: ", ") }
}

/// The payload of a query, with the fields of its response.
struct AnswerContent<Payload: Sendable>: Sendable {
    let payload: Payload
    let fields: HTTPFields
}
