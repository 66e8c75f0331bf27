package import Duet
package import Foundation

/// Encodes the values of one mounted query, and those that a cache keeps once for all who ask.
final class QueryEncoding<Q: HTTPQuery>: Sendable {
    /// A response without what each one has for itself, and the cached value that it was made from.
    struct Content: Sendable {
        let response: ServedResponse
        fileprivate let kept: KeptValue?
        fileprivate let address: String?
    }

    private let payloads: PayloadCoder<Q.Payload>
    private let hasTag = Q.route.method == .get
    /// Whether the content is that of the value.
    private let isShared = Q.Value.self == HTTPBytes.self || Q.Value.self == HTTPBytes?.self
    private let keepsContents: Bool
    private let events = EncodedEvents()

    init(_ settings: HTTPSettings, keepsContents: Bool) {
        payloads = PayloadCoder(of: Q.self, settings)
        self.keepsContents = keepsContents && !Q.route.encodesEachTime
    }

    var mediaTypes: [String]? { payloads.mediaTypes }

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - kept: The cached value, if nothing has changed it on its way.
    ///   - address: The beginning of links; nil if there are none.
    /// - Throws: The errors of the mapping and the encoding.
    func content(
        with value: Q.Value,
        answering query: Q,
        _ kept: KeptValue?,
        at address: String?
    ) async throws -> Content {
        guard keepsContents, let kept, kept.value(answering: query) != nil else {
            return Content(
                response: try response(with: value, answering: query, at: address),
                kept: nil,
                address: address
            )
        }
        let form = try await kept.forms.form(by: self, address) { [self] in
            // The value of the entry, for every client.
            guard let value = kept.value(answering: query) else { throw CancellationError() }
            var response = try response(with: value, answering: query, at: address)
            if hasTag, response.entityTag == nil { response.contentTag = response.body?.tag }
            return (response, isShared ? 0 : response.body?.count ?? 0)
        }
        return Content(response: form, kept: kept, address: address)
    }

    /// The event with a value.
    func event(of content: Content) async throws -> EncodedEvent {
        guard let kept = content.kept else { return events.event(of: content.response.eventData) }
        return try await kept.forms.form(by: events, content.address) {
            let event = EncodedEvent(content.response.eventData)
            return (event, event.bytes.count)
        }
    }

    private func response(with value: Q.Value, answering query: Q, at address: String?) throws -> ServedResponse {
        try payloads.response(with: Q.payload(from: value, answering: query, linkedTo: address))
    }
}

extension HTTPQuery {
    /// The content of a response with a value of this query; nil for none.
    package func content(with value: Value, _ settings: HTTPSettings) throws -> Data? {
        try PayloadCoder(of: Self.self, settings).response(with: Self.payload(from: value, answering: self)).body
    }
}
