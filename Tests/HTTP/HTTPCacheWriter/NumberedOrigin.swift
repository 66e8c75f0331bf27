import DuetContracts
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes

/// Responds to `/7` with the bytes of the number 7, in pieces, fresh for an hour.
struct NumberedOrigin: HTTPClient {
    struct WrongBody: Error {
        let count: Int
    }

    /// Sends a request for a number, whose body has to be right wherever it comes from.
    ///
    /// - Returns: Whether the response came from the cache.
    static func ask(_ number: Int, through client: some HTTPClient) async throws -> Bool {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
        let (response, body) = try await client.send(request, body: nil)
        let bytes = try await body.collect(upTo: .max, orThrow: WrongBody(count: .max))
        guard bytes == Self.body(number) else { throw WrongBody(count: bytes.count) }
        return response.cacheStatus?.hit == true
    }

    /// Some fit into one piece, some need several.
    static func body(_ number: Int) -> Data {
        HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3])
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let fields: HTTPFields = [.cacheControl: "max-age=3600", .eTag: "\"\(request.path ?? "")\""]
        let response = HTTPResponse(status: .ok, headerFields: fields)
        let bytes = Self.body(Int(request.path?.dropFirst() ?? "") ?? 0)
        let pieces = AsyncStream<Data> { pieces in
            for start in stride(from: 0, to: bytes.count, by: 50_000) { pieces.yield(bytes[start...].prefix(50_000)) }
            pieces.finish()
        }
        return (response, HTTPBody(pieces, size: Int64(bytes.count)))
    }
}
