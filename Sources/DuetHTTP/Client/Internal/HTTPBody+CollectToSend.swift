package import Foundation

extension HTTPBody {
    /// All bytes, for a client that sends whole bodies only.
    ///
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)`` for a body that comes and has more than 16 MiB; what reading throws.
    package func collectToSend() async throws -> Data {
        if let whole { return whole }
        let limit = 16 * 1024 * 1024
        return try await collect(
            upTo: limit,
            orThrow: HTTPClientError.invalidRequest(reason: "this client takes no stream of more than \(limit) bytes")
        )
    }
}
