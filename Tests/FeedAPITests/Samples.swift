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
    /// An answer with nothing but a status.
    static func status(_ code: Int) -> HTTPResponse {
        HTTPResponse(status: .init(code: code))
    }
}

/// Runs something that must fail with unusable data, and gives the reason.
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

/// Runs something whose body must not be what was agreed on, and says what is wrong with it.
func bodyFault<T>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> T
) async throws -> String {
    let reason = try await invalidDataReason(sourceLocation: sourceLocation, work)
    let opening = "but not with what was agreed on: "
    let range = try #require(reason.range(of: opening), "\(reason)", sourceLocation: sourceLocation)
    return String(reason[range.upperBound...].dropLast())
}

extension RemoteDispatcher {
    /// A dispatcher whose server gives one answer to everything.
    init(answering client: HTTPClientSpy, base: String = "http://a.example") throws {
        try self.init(baseURL: BaseURL(#require(URL(string: base))), client: client)
    }

    /// A dispatcher whose server gives one answer, without a media type, to everything.
    init(answering data: Data, status: Int = 200) throws {
        try self.init(answering: HTTPClientSpy(.success((.status(status), data))))
    }
}
