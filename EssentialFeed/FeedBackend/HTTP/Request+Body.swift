import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The connection broke, or the client no longer spoke HTTP, before the body was whole.
struct UnreadableBody: Error {
    let underlying: any Error
}

extension Request {
    /// The media type that the request names, without its parameters, in lower case.
    var mediaType: String? {
        headers[.contentType]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The whole body.
    ///
    /// - Throws: ``Problem`` when it has more than `limit` bytes or fewer than were announced; ``UnreadableBody``.
    func wholeBody(upTo limit: Int) async throws -> ByteBuffer {
        let announced = headers[.contentLength].flatMap { Int($0) }
        let tooLarge = Problem(.contentTooLarge, "The body must have at most \(limit) bytes.")
        if let announced, announced > limit { throw tooLarge }
        let whole: ByteBuffer
        do {
            whole = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw UnreadableBody(underlying: error)
        }
        // A connection that the server itself closes, when it is told to stop at once, ends the body without an error.
        if let announced, whole.readableBytes < announced {
            throw Problem(.badRequest, "The body ended after \(whole.readableBytes) of \(announced) bytes.")
        }
        return whole
    }

    /// The body as JSON, of at most 64 KiB.
    ///
    /// The media type is insisted on: a web page of another origin cannot send it without asking first.
    ///
    /// - Throws: ``Problem`` for a body that is too large or something else; `InvalidMessage` with the path to a fault.
    func json<Body: Decodable>(as type: Body.Type) async throws -> Body {
        guard mediaType == "application/json" else {
            throw Problem(.unsupportedMediaType, "The body must be JSON, sent as application/json.")
        }
        let body = try await wholeBody(upTo: 65_536)
        do {
            return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
        } catch let error as DecodingError {
            throw InvalidMessage(error)
        }
    }
}
