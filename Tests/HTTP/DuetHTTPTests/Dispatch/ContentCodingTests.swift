import CDuetZlib
import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct ContentCodingTests {
    private static let gzipped =
        "H4sIAAAAAAACA6tWykxRsjLUUSrJLMlJVbJScs3NTVTSUSooTcrJLM5IBUoqGVqaG+gaGAJRiIGBFRjpmUYp1QIAHOpdljwAAAA="

    /// A book in each form in which servers store compressed documents.
    private static let forms = [
        ("gzip", gzipped), ("X-GZIP", gzipped),
        (
            "identity, gzip",
            "H4sIAAAAAAACA6tWykxRsjLUUSrJLMlJVbJScs3NBQAJdRPBFAAAAB+LCAAAAAAAAgNLVNJRKihNyskszkhNUbJSMrQ0N9A1MASiEAMDKzDSM"
                + "41SqgUAQO6d+igAAAA="
        ),
        ("deflate", "eNqrVspMUbIy1FEqySzJSVWyUnLNzU1U0lEqKE3KySzOSAVKKhlamhvoGhgCUYiBgRUY6ZlGKdUCABDGEEU="),
        ("deflate", "q1bKTFGyMtRRKsksyUlVslJyzc1NVNJRKihNyskszkgFSioZWpob6BoYAlGIgYEVGOmZRinVAgA="),
    ]

    private func dispatcher(
        _ coding: String,
        _ body: Data,
        _ status: HTTPResponse.Status = .ok,
        mediaType: String = "application/json",
        limit: Int? = nil
    ) throws -> HTTPDispatcher {
        var settings = HTTPSettings()
        if let limit { settings.maximumUnpackedBody = limit }
        let fields: HTTPFields = [
            .contentType: mediaType, .contentEncoding: coding, .contentLength: "\(body.count)",
        ]
        let client = SpyClient(status, body, fields)
        return HTTPDispatcher(baseURL: try BaseURL("https://shop.example"), client: client, settings: settings)
    }

    private func fault(_ coding: String, _ body: Data, limit: Int? = nil) async throws -> String {
        let dispatcher = try dispatcher(coding, body, mediaType: "text/plain", limit: limit)
        let failure = try await #require(
            #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(FindCover(id: 1)) }
        )
        guard case .body(let error) = failure.reason else { throw failure }
        #expect(failure.body == body)
        return "\(error)"
    }

    /// The bytes in the format of `deflate`.
    private func compressed(_ data: Data) throws -> Data {
        var size = compressBound(uLong(data.count))
        var result = [UInt8](repeating: 0, count: Int(size))
        let status = unsafe data.withUnsafeBytes { bytes in
            unsafe compress2(&result, &size, bytes.bindMemory(to: UInt8.self).baseAddress, uLong(bytes.count), 9)
        }
        try #require(status == Z_OK)
        return Data(result.prefix(Int(size)))
    }

    @Test(arguments: forms)
    func `a compressed response is read`(coding: String, text: String) async throws {
        let body = try #require(Data(base64Encoded: text))
        #expect(try await dispatcher(coding, body).dispatch(FindBook(id: 1)) == .emma)
    }

    @Test(arguments: ["", "identity", " , "])
    func `a response that is not compressed stays as it is`(coding: String) async throws {
        let body = Data([0x1F, 0x8B, 1])
        let bytes = try await dispatcher(coding, body, mediaType: "image/png").dispatch(FindCover(id: 1))
        #expect(bytes.data == body)
    }

    @Test func `a compressed problem is read`() async throws {
        let problem = #"{"title":"Not Found","status":404,"detail":"There is no such book."}"#
        let dispatcher = try dispatcher(
            "deflate",
            compressed(Data(problem.utf8)),
            .notFound,
            mediaType: "application/problem+json"
        )
        let failure = await #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(FindBook(id: 1)) }
        #expect(failure?.problem?.detail == "There is no such book.")
        #expect(failure?.response.headerFields[.contentEncoding] == nil)
    }

    @Test func `an error whose body cannot be unpacked keeps its status`() async throws {
        let dispatcher = try dispatcher("gzip", Data("no".utf8), .badGateway, mediaType: "text/html")
        let failure = await #expect(throws: HTTPFailure.self) { _ = try await dispatcher.dispatch(FindBook(id: 1)) }
        #expect(failure?.status == .badGateway)
        #expect(failure?.body == Data("no".utf8))
    }

    @Test func `a command succeeds whatever the coding of the ignored content`() async throws {
        try await dispatcher("gzip", Data("no".utf8)).dispatch(OrderBook(id: 1))
    }

    @Test(arguments: ["br", "zstd", "gzip, gzip", "gzip, br"])
    func `another coding is named`(coding: String) async throws {
        #expect(
            try await fault(coding, Data([1]))
                == "body has the content coding “\(coding)”; only one of gzip and deflate can be read."
        )
    }

    @Test(arguments: [1, 10, 20, 60])
    func `an incomplete body is not a value`(size: Int) async throws {
        let body = try #require(Data(base64Encoded: Self.gzipped)).prefix(size)
        #expect(try await fault("gzip", body) == "body is damaged: it cannot be unpacked as gzip.")
    }

    @Test(arguments: [0, 1, 20, 70])
    func `a damaged body is not a value`(position: Int) async throws {
        var body = try #require(Data(base64Encoded: Self.gzipped))
        body[position] ^= 0x40
        #expect(try await fault("gzip", body) == "body is damaged: it cannot be unpacked as gzip.")
    }

    @Test(arguments: [(999, true), (1_000, false), (1_001, false)])
    func `a response has a limit after it was unpacked`(limit: Int, isTooLarge: Bool) async throws {
        let content = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
        let body = try compressed(content)
        if isTooLarge {
            let fault = try await fault("deflate", body, limit: limit)
            #expect(
                fault == "body has more than 999 bytes when it is unpacked, the maximumUnpackedBody of HTTPSettings."
            )
        } else {
            let bytes = try await dispatcher("deflate", body, mediaType: "a/b", limit: limit).dispatch(FindCover(id: 1))
            #expect(bytes.data == content)
        }
    }

    @Test(arguments: [(1_048_576, true), (1_048_577, false)])
    func `above 1 MiB a response may grow a hundredfold`(size: Int, isRead: Bool) async throws {
        let body = try compressed(Data(count: size))
        if isRead {
            let bytes = try await dispatcher("deflate", body, mediaType: "a/b").dispatch(FindCover(id: 1))
            #expect(bytes.data.count == size)
        } else {
            #expect(
                try await fault("deflate", body) == "body grows more than 100 times when it is unpacked, beyond 1 MiB."
            )
        }
    }
}
