import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes

/// Answers `/7` with the bytes of the number 7, in pieces, fresh for an hour.
struct NumberedOrigin: HTTPClient {
    /// Some fit into one row of a database, some need several.
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
