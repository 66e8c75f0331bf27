import Duet
import DuetCaching
import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

private struct LoadWord: HTTPQuery, Hashable {
    typealias Value = String?
    static let route: QueryRoute<Self> = .get("words/{id}").responseHeader(.contentLanguage) { $0.language }
    let id: Int
    var language = "en"
}

private struct LoadEnvelope: HTTPQuery, Hashable {
    typealias Value = [Int]?
    static let route: QueryRoute<Self> = .get("envelopes/{id}").envelope("numbers")
    let id: Int
}

private struct LoadBytes: HTTPQuery, Hashable {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("bytes/{id}")
    let id: Int
}

private struct FindWords: HTTPQuery, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .post("words")
    var text = "a"
}

private struct WordHandler: QueryHandler {
    func handle(_ query: LoadWord) async throws -> String? { query.id == 0 ? nil : "Word \(query.id)" }
}

private struct EnvelopeHandler: QueryHandler {
    func handle(_ query: LoadEnvelope) async throws -> [Int]? { query.id == 0 ? nil : [query.id] }
}

private struct BytesHandler: QueryHandler {
    func handle(_ query: LoadBytes) async throws -> HTTPBytes {
        let tag = ["tag", "not a tag \u{1}"].dropFirst(query.id).first
        return HTTPBytes(Data("abcdefgh".utf8), mediaType: "text/plain", entityTag: tag)
    }
}

private struct FindHandler: QueryHandler {
    func handle(_ query: FindWords) async throws -> [String] { ["a"] }
}

/// Tests that a response with a kept content is the same as one whose content is made for it.
@Suite struct EncodedKindsTests {
    private let cached: CachingDispatcher

    init() throws {
        cached = try StandardDispatcher {
            WordHandler()
            EnvelopeHandler()
            BytesHandler()
            FindHandler()
        }
        .caching(in: .memory(limit: .entries(100))) {
            Cache(LoadWord.self, .untilInvalidated)
            Cache(LoadEnvelope.self, .untilInvalidated)
            Cache(LoadBytes.self, .untilInvalidated)
            Cache(FindWords.self, .untilInvalidated)
        }
    }

    private func service(keepsContents: Bool) throws -> HTTPService {
        let api = MessageAPI.open {
            LoadWord.self
            LoadEnvelope.self
            LoadBytes.self
            FindWords.self
        }
        return try HTTPService(api, cached, options: MountOptions(keepsContents: keepsContents)) { _ in }
    }

    @Test(arguments: [
        ("/words/0", "GET", ""), ("/words/1", "GET", ""), ("/words/1?language=de", "GET", ""), ("/words/1", "HEAD", ""),
        ("/envelopes/0", "GET", ""), ("/envelopes/1", "GET", ""), ("/envelopes/1", "HEAD", ""),
        ("/bytes/0", "GET", ""), ("/bytes/1", "GET", ""), ("/bytes/2", "GET", ""), ("/bytes/0", "HEAD", ""),
        ("/bytes/0", "GET", "bytes=2-3"), ("/bytes/2", "GET", "bytes=2-3"), ("/bytes/0", "GET", "bytes=9-"),
        ("/bytes/2", "HEAD", "bytes=2-3"), ("/words", "POST", ""),
    ])
    func `a response is the same with and without kept contents`(
        path: String,
        method: String,
        range: String
    ) async throws {
        let (keeping, other) = (try service(keepsContents: true), try service(keepsContents: false))
        var request = HTTPRequest(
            method: try #require(HTTPRequest.Method(method)),
            scheme: "http",
            authority: "localhost",
            path: path
        )
        if !range.isEmpty { request.headerFields[.range] = range }
        if method == "POST" { request.headerFields[.contentType] = "application/json" }
        let body = method == "POST" ? HTTPBody(Data(#"{"text":"a"}"#.utf8)) : nil
        let (expected, content) = await other.respond(to: request, body: body)
        for _ in 0..<2 {
            let (response, actual) = await keeping.respond(to: request, body: body)
            #expect(response == expected)
            #expect(actual.whole == content.whole)
        }
        guard let tag = expected.headerFields[.eTag] else { return }
        request.headerFields[.ifNoneMatch] = tag
        let unchanged = await other.respond(to: request).0
        #expect(await keeping.respond(to: request).0 == unchanged)
        #expect(unchanged.status == .notModified)
    }
}
