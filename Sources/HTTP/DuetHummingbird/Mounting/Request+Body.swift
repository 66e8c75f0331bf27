import DuetHTTP
public import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceContextModule

extension Request {
    /// Reads the complete body within the limits of the server, and passes it to an operation.
    ///
    /// ```swift
    /// router.post("photos") { request, _ in
    ///     try await request.withBody(upTo: 1_048_576) { photo in try await save(photo) }
    /// }
    /// ```
    ///
    /// Until the operation returns, the body counts as memory in use, see `ServerLimits(bodyMemory:)`. Check the
    /// credentials of the sender before you read a body.
    ///
    /// - Parameters:
    ///   - limit: The largest body, in bytes.
    ///   - operation: Uses the body.
    /// - Throws: `HTTPError` with 413 for a larger body, with 400 for a body that is incomplete, and with 503 if the
    ///   bodies of other requests use the memory; the error of the operation.
    public func withBody<Value>(
        upTo limit: Int,
        _ operation: (_ body: Data) async throws -> Value
    ) async throws -> Value {
        let presence = ServiceContext.current?.clientPresence
        let body: Data
        do {
            body = try await wholeBody(upTo: limit, presence)
        } catch let refusal as ServedResponse {
            throw HTTPError(refusal.status, headers: refusal.headers)
        } catch let error where !(error is CancellationError) {
            // Nobody is there to read the response.
            throw HTTPError(.badRequest)
        }
        defer { presence?.bodyMemory.release(body.count) }
        return try await operation(body)
    }

    /// Reads the complete body, which counts as memory in use until that is released.
    ///
    /// - Throws: ``ServedResponse`` if the body has more than `limit` bytes or fewer than announced, or if the server
    ///   has no memory for it; `CancellationError`; any other error if the connection has failed.
    func wholeBody(upTo limit: Int, _ presence: ClientPresence?) async throws -> Data {
        let limit = try BodyLimit(limit, for: head)
        // The sender waits for a response with 100 before it sends the body (RFC 9110, section 10.1.1).
        if headers[.expect]?.lowercased() == "100-continue" { presence?.invite() }
        let memory = presence?.bodyMemory
        var data = Data()
        var isRead = false
        defer { if !isRead { memory?.release(data.count) } }
        for try await part in body {
            try limit.check(part.readableBytes, after: data.count)
            guard memory?.take(part.readableBytes) != false else { throw ServedResponse.noMemory }
            data.append(contentsOf: part.readableBytesView)
        }
        try limit.checkEnd(after: data.count)
        isRead = true
        return data
    }
}

extension ServedResponse {
    fileprivate static var noMemory: ServedResponse {
        ServedResponse(
            .serviceUnavailable,
            "The server receives too many large requests at the moment. Try again later.",
            headers: [.retryAfter: "1"]
        )
    }
}
