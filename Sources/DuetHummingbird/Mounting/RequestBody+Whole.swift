import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceContextModule

/// The connection failed, or the client sent something that is not HTTP, before the body was complete.
struct UnreadableBody: Error {
    let underlying: any Error
}

extension RequestBody {
    /// Reads the complete body.
    ///
    /// - Throws: ``Refusal`` if it has more than `limit` bytes or fewer than announced, and ``UnreadableBody``.
    func whole(upTo limit: Int, announced headers: HTTPFields) async throws -> Data {
        let announced = headers[.contentLength].flatMap { Int($0) }
        let tooLarge = Refusal(.contentTooLarge, "The body must have at most \(limit) bytes.")
        if let announced, announced > limit { throw tooLarge }
        if headers.expectsInvitation { ServiceContext.current?.clientPresence?.invite() }
        let whole: ByteBuffer
        do {
            whole = try await collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch let error as CancellationError {
            throw error
        } catch {
            throw UnreadableBody(underlying: error)
        }
        // In a canceled task the body sequence ends early without an error.
        try Task.checkCancellation()
        // The sequence also ends without an error when the server itself closes the connection to stop at once.
        if let announced, whole.readableBytes < announced {
            throw Refusal(.badRequest, "The body ended after \(whole.readableBytes) of \(announced) bytes.")
        }
        return Data(whole.readableBytesView)
    }
}

extension HTTPFields {
    /// Whether the sender waits for a response with 100 before it sends the body (RFC 9110, section 10.1.1).
    fileprivate var expectsInvitation: Bool { self[.expect]?.lowercased() == "100-continue" }
}
