import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceContextModule

/// The connection broke, or the client no longer spoke HTTP, before the body was whole.
struct UnreadableBody: Error {
    let underlying: any Error
}

extension RequestBody {
    /// The whole body.
    ///
    /// - Throws: ``Refusal`` when it has more than `limit` bytes or fewer than were announced; ``UnreadableBody``.
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
        // To whom is cancelled, a body that has not arrived looks like one that has ended.
        try Task.checkCancellation()
        // A connection that the server itself closes, when it is told to stop at once, ends the body without an error.
        if let announced, whole.readableBytes < announced {
            throw Refusal(.badRequest, "The body ended after \(whole.readableBytes) of \(announced) bytes.")
        }
        return Data(whole.readableBytesView)
    }
}

extension HTTPFields {
    /// Whether the sender waits to be told that its body is wanted (RFC 9110, section 10.1.1).
    fileprivate var expectsInvitation: Bool { self[.expect]?.lowercased() == "100-continue" }
}
