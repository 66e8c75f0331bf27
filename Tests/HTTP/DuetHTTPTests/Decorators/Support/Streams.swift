import Duet
import DuetHTTP
import Foundation

extension HTTPRetryPolicy {
    /// Without waiting.
    static let atOnce = HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited)
}

/// The server of the requests that a test sends.
func server() throws -> BaseURL {
    struct NoURL: Error {}
    guard let url = URL(string: "https://server.example") else { throw NoURL() }
    return try BaseURL(url)
}

extension HTTPBody {
    /// A body in pieces.
    static func coming(_ pieces: String..., size: Int64? = nil) -> HTTPBody {
        let stream = AsyncStream<Data> { stream in
            for piece in pieces { stream.yield(Data(piece.utf8)) }
            stream.finish()
        }
        return HTTPBody(stream, size: size)
    }

    /// All of it.
    func text() async throws -> String {
        String(decoding: try await collect(upTo: .max, orThrow: Unplugged()), as: UTF8.self)
    }
}
