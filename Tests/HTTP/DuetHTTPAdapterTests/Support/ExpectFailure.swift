import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Expects that a request fails in this way, and returns the error.
@discardableResult
func expect(
    _ kind: FailureKind,
    sourceLocation: SourceLocation = #_sourceLocation,
    from request: () async throws -> (HTTPResponse, Data)
) async throws -> HTTPClientError {
    let error = await #expect(throws: HTTPClientError.self, sourceLocation: sourceLocation) { _ = try await request() }
    let failure = try #require(error, sourceLocation: sourceLocation)
    #expect(FailureKind(failure) == kind, "\(failure)", sourceLocation: sourceLocation)
    return failure
}
