import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Testing

/// An endpoint that is called as by a server.
struct Served {
    let endpoint: ServedEndpoint
    let journal = Journal()

    init(_ entry: MessageAPI.Entry, _ settings: HTTPSettings = HTTPSettings(), status: SuccessStatus? = nil) throws {
        endpoint = try #require(ServedEndpoint(entry, settings, status.map { [$0] } ?? []))
    }

    init<M: HTTPMessage>(_ listed: ListedMessage<M>) throws {
        try self.init(MessageAPI.Entry(listed))
    }

    /// The endpoint of a message that everyone may send.
    init<M: HTTPMessage>(
        _ message: M.Type,
        _ settings: HTTPSettings = HTTPSettings(),
        status: SuccessStatus? = nil
    ) throws {
        try self.init(.open(message), settings, status: status)
    }

    func answer(
        _ parameters: [String: String] = [:],
        query: String? = nil,
        body: String = "",
        contentType: String? = "application/json",
        principal: Principal? = nil
    ) async throws -> ServedResponse {
        let message = MessageParts(
            parameters: parameters,
            query: query,
            contentType: body.isEmpty ? nil : contentType,
            body: Data(body.utf8)
        )
        let dispatcher = try Shop.dispatcher(journal)
        let endpoint = endpoint
        return try await withPrincipal(principal) {
            try await endpoint.answer(to: message, dispatcher, in: .current).response
        }
    }
}

extension ServedResponse {
    /// The problem in the body.
    func problem() throws -> ProblemDetails {
        #expect(headers[.contentType] == "application/problem+json")
        return try JSONDecoder().decode(ProblemDetails.self, from: #require(body))
    }

    var text: String { String(decoding: body ?? Data(), as: UTF8.self) }
}
