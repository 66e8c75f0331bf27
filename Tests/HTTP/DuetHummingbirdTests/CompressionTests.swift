import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import DuetHummingbird

/// Compressed responses (RFC 9110, sections 8.4 and 12.5.3).
@Suite
struct CompressionTests {
    private struct GetText: HTTPQuery {
        typealias Value = [String]
        static let route: QueryRoute<Self> = .get("text")
    }

    /// 2,000 bytes.
    private static let text = String(repeating: "ten bytes\n", count: 200)

    /// A router with one response at `/text`.
    private static func client(
        _ fields: HTTPFields = [.contentType: "text/html; charset=utf-8"],
        status: HTTPResponse.Status = .ok,
        body: ResponseBody = ResponseBody(byteBuffer: ByteBuffer(string: text))
    ) -> RouterHTTPClient<RouterResponder<BasicRequestContext>> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: CompressionMiddleware())
        router.get("text") { _, _ in Response(status: status, headers: fields, body: body) }
        return RouterHTTPClient(router)
    }

    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "br, gzip", "gzip, deflate, br, zstd", "*", "br;q=1, gzip;q=0.1",
        "identity;q=0, gzip",
    ])
    func `a client that accepts gzip gets less, and a weak tag`(accepted: String) async throws {
        let fields: HTTPFields = [.contentType: "text/html", .eTag: "\"a\"", .vary: "Cookie"]
        let answer = try await Self.client(fields).ask(.get, "/text", [.acceptEncoding: accepted])
        #expect(answer[.contentEncoding] == "gzip")
        #expect(answer[.contentLength] == "\(answer.content.count)")
        #expect(answer.content.count < 100)
        #expect(answer[.eTag] == "W/\"a\"")
        #expect(answer.response.headerFields[values: .vary] == ["Cookie", "Accept-Encoding"])
    }

    private struct GetLines: HTTPQuery {
        typealias Value = [String]
        static let route: QueryRoute<Self> = .get("lines/{number}")
        let number: Int
    }

    @Test
    func `equal contents are compressed once, until there are too many`() throws {
        func address(_ data: Data) -> Int { unsafe data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }
        let forms = CompressedForms()
        let text = Data(Self.text.utf8)
        let first = try #require(forms.form(of: text))
        let again = try #require(forms.form(of: Data(Self.text.utf8)))
        #expect(address(again) == address(first))
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<9 {
            let noise = Data((0..<1_048_576).map { _ in .random(in: .min ... .max, using: &generator) })
            #expect(forms.form(of: noise) != nil)
        }
        let later = try #require(forms.form(of: text))
        #expect(later == first)
        #expect(address(later) != address(first), "compressed again")
    }

    @Test
    func `contents are told apart by what they are, whatever their tags say`() async throws {
        let router = Router()
        router.add(middleware: CompressionMiddleware())
        router.get("lines/:number") { _, context in
            let number = try context.parameters.require("number", as: Int.self)
            let lines = Array(repeating: "line \(number % 3)", count: 200)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json", .eTag: "\"the same for all\""],
                body: ResponseBody(data: try JSONEncoder().encode(lines))
            )
        }
        let client = AcceptingHTTPClient(base: RouterHTTPClient(router))
        let dispatcher = HTTPDispatcher(baseURL: try BaseURL("http://localhost"), client: client)
        for number in 0..<9 {
            #expect(try await dispatcher.dispatch(GetLines(number: number))[199] == "line \(number % 3)")
        }
        #expect(await client.log.codings == Array(repeating: "gzip", count: 9))
    }

    @Test
    func `a dispatcher of Duet reads what was compressed`() async throws {
        let lines = (0..<200).map { "line \($0)" }
        let json = try JSONEncoder().encode(lines)
        let base = Self.client([.contentType: "application/json"], body: ResponseBody(data: json))
        let client = AcceptingHTTPClient(base: base)
        let dispatcher = HTTPDispatcher(baseURL: try BaseURL("http://localhost"), client: client)
        #expect(try await dispatcher.dispatch(GetText()) == lines)
        #expect(await client.log.codings == ["gzip"])
    }

    @Test(arguments: ["", "identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=2"])
    func `any other client gets the text itself, and caches are told`(accepted: String) async throws {
        let fields: HTTPFields = [.contentType: "text/html", .eTag: "\"a\""]
        let answer = try await Self.client(fields).ask(.get, "/text", [.acceptEncoding: accepted])
        #expect(answer.text == Self.text)
        #expect(answer[.contentEncoding] == nil)
        #expect(answer[.eTag] == "\"a\"")
        #expect(answer[.vary] == "Accept-Encoding")
    }

    @Test(arguments: [
        "text/html", "text/css", "text/javascript; charset=utf-8", "application/json", "application/problem+json",
        "image/svg+xml", "APPLICATION/JSON ;charset=utf-8", "application/xml",
    ])
    func `texts are compressed`(type: String) async throws {
        let answer = try await Self.client([.contentType: type]).ask(.get, "/text", [.acceptEncoding: "gzip"])
        #expect(answer[.contentEncoding] == "gzip")
    }

    @Test(
        arguments: [
            [.contentType: "image/webp"], [.contentType: "application/octet-stream"], [:],
            [.contentType: "text/event-stream"], [.contentType: "text/html", .cacheControl: "private, no-store"],
            [.contentType: "text/html", .cacheControl: "No-Transform"],
            [.contentType: "text/html", .contentEncoding: "br"],
            [.contentType: "text/html", .contentRange: "bytes 0-1999/4000"],
        ] as [HTTPFields]
    )
    func `everything else stays as it is`(fields: HTTPFields) async throws {
        let answer = try await Self.client(fields).ask(.get, "/text", [.acceptEncoding: "gzip"])
        #expect(answer.text == Self.text)
        #expect(answer[.contentEncoding] == fields[.contentEncoding])
        #expect(answer[.vary] == nil)
    }

    @Test
    func `the response to a request with credentials stays as it is`() async throws {
        let fields: HTTPFields = [.acceptEncoding: "gzip", .authorization: "Bearer a"]
        #expect(try await Self.client().ask(.get, "/text", fields).text == Self.text)
    }

    @Test(arguments: [(1_023, false), (1_024, true), (4_194_304, true), (4_194_305, false)])
    func `small and huge contents stay as they are`(size: Int, isCompressed: Bool) async throws {
        let client = Self.client(body: ResponseBody(data: Data(repeating: 0x61, count: size)))
        let answer = try await client.ask(.get, "/text", [.acceptEncoding: "gzip"])
        #expect((answer[.contentEncoding] == "gzip") == isCompressed)
        #expect((answer.content.count == size) != isCompressed)
    }

    @Test
    func `a content of unknown length stays as it is`() async throws {
        let body = ResponseBody { writer in
            try await writer.write(ByteBuffer(string: Self.text))
            try await writer.finish(nil)
        }
        let answer = try await Self.client(body: body).ask(.get, "/text", [.acceptEncoding: "gzip"])
        #expect(answer.text == Self.text)
    }

    @Test
    func `HEAD has the fields of GET`() async throws {
        let get = try await Self.client().ask(.get, "/text", [.acceptEncoding: "gzip"])
        let head = try await Self.client().ask(.head, "/text", [.acceptEncoding: "gzip"])
        #expect(head.response == get.response)
        #expect(head.content.isEmpty)
    }

    @Test
    func `HEAD of a content that was not made has no length`() async throws {
        let router = Router()
        router.add(middleware: CompressionMiddleware())
        router.head("text") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/html", .contentLength: "2000"])
        }
        let answer = try await RouterHTTPClient(router).ask(.head, "/text", [.acceptEncoding: "gzip"])
        #expect(answer[.contentEncoding] == "gzip")
        #expect(answer[.contentLength] == nil)
        #expect(answer[.vary] == "Accept-Encoding")
    }

    @Test(arguments: [("W/\"a\"", "W/\"a\""), ("\"b\", W/\"a\"", "W/\"a\""), ("\"a\"", "\"a\""), ("*", "\"a\"")])
    func `304 has the tag that the client knows`(known: String, tag: String) async throws {
        let client = Self.client([.eTag: "\"a\""], status: .notModified, body: ResponseBody())
        let answer = try await client.ask(.get, "/text", [.acceptEncoding: "gzip", .ifNoneMatch: known])
        #expect(answer.status == 304)
        #expect(answer[.eTag] == tag)
        #expect(answer[.vary] == "Accept-Encoding")
    }

    @Test
    func `304 has its own tag for a client that accepts no compression`() async throws {
        let client = Self.client([.eTag: "\"a\""], status: .notModified, body: ResponseBody())
        #expect(try await client.ask(.get, "/text", [.ifNoneMatch: "W/\"a\""])[.eTag] == "\"a\"")
    }

    @Test
    func `the error of a body is the error of the request`() async throws {
        let body = ResponseBody(contentLength: 2_000) { _ in throw HTTPError(.badGateway) }
        let answer = try await Self.client(body: body).ask(.get, "/text", [.acceptEncoding: "gzip"])
        #expect(answer.status == 502)
    }
}

/// Accepts gzip, whatever a request accepts, and records the codings of the responses.
private struct AcceptingHTTPClient<Base: HTTPClient>: HTTPClient {
    actor Log {
        var codings: [String?] = []
        func add(_ coding: String?) { codings.append(coding) }
    }

    let base: Base
    let log = Log()

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[.acceptEncoding] = "gzip"
        let (response, body) = try await base.send(request, body: body)
        await log.add(response.headerFields[.contentEncoding])
        return (response, body)
    }
}
