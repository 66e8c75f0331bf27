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
    /// Until the operation returns, the body counts as memory in use, see ``ServerLimits/bodyMemory``. Check the
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
        let body: WholeBody
        do {
            body = try await WholeBody(of: self, upTo: limit)
        } catch let refusal as Refusal {
            throw HTTPError(refusal.response.status, headers: refusal.response.headers)
        } catch is UnreadableBody {
            // Nobody is there to read the response.
            throw HTTPError(.badRequest)
        }
        defer { body.release() }
        return try await operation(body.data)
    }
}

/// The connection failed, or the client sent something that is not HTTP, before the body was complete.
struct UnreadableBody: Error {
    let underlying: any Error
}

/// The complete body of a request, which counts as memory in use until it is released.
struct WholeBody {
    let data: Data
    private let memory: BodyMemory?

    /// Reads the body of a request.
    ///
    /// - Throws: ``Refusal`` if it has more than `limit` bytes or fewer than announced, or if the server has no memory
    ///   for it; ``UnreadableBody``.
    init(of request: Request, upTo limit: Int) async throws {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw Refusal.tooLarge(limit) }
        let presence = ServiceContext.current?.clientPresence
        if request.headers.expectsInvitation { presence?.invite() }
        let memory = presence?.bodyMemory
        var data = Data()
        var isRead = false
        defer { if !isRead { memory?.release(data.count) } }
        do {
            for try await part in request.body {
                guard part.readableBytes <= limit - data.count else { throw Refusal.tooLarge(limit) }
                guard memory?.take(part.readableBytes) != false else { throw Refusal.noMemory }
                data.append(contentsOf: part.readableBytesView)
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch let error as CancellationError {
            throw error
        } catch {
            throw UnreadableBody(underlying: error)
        }
        // In a canceled task the body sequence ends early without an error.
        try Task.checkCancellation()
        // The sequence also ends without an error when the server itself closes the connection to stop at once.
        if let announced, data.count < announced {
            throw Refusal(.badRequest, "The body ended after \(data.count) of \(announced) bytes.")
        }
        isRead = true
        (self.data, self.memory) = (data, memory)
    }

    /// Returns the memory.
    func release() {
        memory?.release(data.count)
    }
}

extension Refusal {
    fileprivate static func tooLarge(_ limit: Int) -> Refusal {
        Refusal(.contentTooLarge, "The body must have at most \(limit) bytes.")
    }

    fileprivate static var noMemory: Refusal {
        Refusal(
            .serviceUnavailable,
            "The server receives too many large requests at the moment. Try again later.",
            headers: [.retryAfter: "1"]
        )
    }
}

extension HTTPFields {
    /// Whether the sender waits for a response with 100 before it sends the body (RFC 9110, section 10.1.1).
    fileprivate var expectsInvitation: Bool { self[.expect]?.lowercased() == "100-continue" }
}
