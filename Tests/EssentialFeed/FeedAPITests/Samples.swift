import DuetHTTP
import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

let anyID = UUID(uuid: (0x2A, 0xB2, 0xAE, 0x66, 0xA4, 0xB7, 0x4A, 0x16, 0xB3, 0x74, 0x51, 0xBB, 0xAC, 0x8D, 0xB0, 0x86))
let otherID = UUID(
    uuid: (0xA2, 0x8F, 0x5F, 0xE3, 0x27, 0xA7, 0x44, 0xE9, 0x8D, 0xF5, 0x53, 0x74, 0x2D, 0x0E, 0x4A, 0x5A)
)

extension HTTPResponse {
    /// A response with only a status.
    static func status(_ code: Int) -> HTTPResponse {
        HTTPResponse(status: .init(code: code))
    }
}

/// Runs work that must fail with invalid data, and returns the reason.
func invalidDataReason<T>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> T
) async throws -> String {
    let failure = try #require(
        await #expect(throws: RemoteFailure.self, sourceLocation: sourceLocation) { _ = try await work() },
        sourceLocation: sourceLocation
    )
    #expect(failure.kind == .invalidData, sourceLocation: sourceLocation)
    return failure.reason
}

/// Runs work that must fail because of an invalid response body, and returns the fault.
func bodyFault<T>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> T
) async throws -> String {
    let reason = try await invalidDataReason(sourceLocation: sourceLocation, work)
    let opening = "but its body is invalid: "
    let range = try #require(reason.range(of: opening), "\(reason)", sourceLocation: sourceLocation)
    return String(reason[range.upperBound...].dropLast())
}

extension RemoteDispatcher {
    /// A dispatcher for a server that sends the same response to every request.
    init(answering client: HTTPClientSpy, base: String = "http://a.example") throws {
        try self.init(baseURL: BaseURL(#require(URL(string: base))), client: client)
    }

    /// A dispatcher for a server that sends the same response, without a media type, to every request.
    init(answering data: Data, status: Int = 200) throws {
        try self.init(answering: HTTPClientSpy(.success((.status(status), data))))
    }
}
