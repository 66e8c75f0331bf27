import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamingTests {
    static let strong = ["Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 6"]

    @Test func `a body that has already arrived is stored before it is forwarded`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60"], HTTPBody("abc".data)) }
        let (response, body) = try await scene.client.send(ask())
        #expect(response.cacheStatus?.stored == true)
        #expect(try await scene.send().isHit)
        #expect(try await body.text() == "abc")
    }

    @Test func `the first byte is forwarded before the rest arrives, and then the body is stored`() async throws {
        let held = HeldBody(size: 6)
        let scene = Scene { _ in .init(200, Self.strong, held.body) }
        let (response, body) = try await scene.client.send(ask())
        #expect(response.cacheStatus?.stored == true)
        #expect(body.size == 6)
        held.send("abc")
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == "abc".data)
        held.send("def")
        held.end()
        #expect(try await reader.next() == "def".data)
        // When all announced bytes have arrived they are stored, even before the reader asks for the end.
        let hit = try await scene.send()
        #expect((hit.isHit, hit.body) == (true, "abcdef"))
        #expect(try await reader.next() == nil)
    }

    @Test(arguments: [
        (["Cache-Control: max-age=60"], "no validator"),
        (["Cache-Control: max-age=60", "ETag: W/\"1\""], "a weak one"),
        (["Cache-Control: max-age=60", "ETag: \"1\"", "Accept-Ranges: none"], "no ranges"),
        (["Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 2"], "more than announced"),
    ])
    func `an incomplete body is not stored`(lines: [String], what: String) async throws {
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, [], "whole") }
            let held = HeldBody()
            held.send("abc")
            held.fail()
            return .init(200, lines, held.body)
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        let answer = try await scene.send()
        #expect(answer.body == "whole", "\(what)")
        #expect(answer.status?.forward == .uriMiss)
        #expect(scene.origin.sent.last?.field(.range) == nil)
    }

    @Test func `an incomplete body with a strong tag is completed by a range request`() async throws {
        let scene = Scene { sent in
            guard sent.number == 1 else {
                return .init(206, ["ETag: \"1\"", "Content-Range: bytes 3-5/6", "Cache-Control: max-age=60"], "def")
            }
            let held = HeldBody(size: 6)
            held.send("abc")
            held.fail()
            return .init(200, Self.strong, held.body)
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        let whole = try await scene.send()
        #expect((whole.code, whole.body) == (200, "abcdef"))
        #expect(whole.response.headerFields[.contentRange] == nil)
        #expect(whole.response.headerFields[.contentLength] == "6")
        #expect(whole.line == "Duet; fwd=partial; fwd-status=206; ttl=60; stored")
        #expect(scene.origin.sent.last?.field(.range) == "bytes=3-")
        #expect(scene.origin.sent.last?.field(.ifRange) == "\"1\"")
        let hit = try await scene.send()
        #expect((hit.isHit, hit.body) == (true, "abcdef"))
        #expect(scene.origin.count == 2)
    }

    @Test func `an interrupted completion keeps its bytes, and the next one continues there`() async throws {
        let scene = Scene { sent in
            let held = HeldBody()
            switch sent.number {
            case 1:
                held.send("abc")
                held.fail()
                return .init(200, Self.strong, held.body)
            case 2:
                held.send("d")
                held.fail()
                return .init(206, ["ETag: \"1\"", "Content-Range: bytes 3-5/6"], held.body)
            default:
                return .init(206, ["ETag: \"1\"", "Content-Range: bytes 4-5/6"], "ef")
            }
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.sent.map { $0.field(.range) } == [nil, "bytes=3-", "bytes=4-"])
    }

    @Test func `a representation that has changed is sent as a whole`() async throws {
        let scene = Scene { sent in
            guard sent.number == 1 else { return .init(200, ["ETag: \"2\"", "Cache-Control: max-age=60"], "other") }
            let held = HeldBody(size: 6)
            held.send("abc")
            held.fail()
            return .init(200, Self.strong, held.body)
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send().body == "other")
        let hit = try await scene.send()
        #expect((hit.isHit, hit.body) == (true, "other"))
    }

    @Test(arguments: [
        ["ETag: \"2\"", "Content-Range: bytes 3-5/6"], ["ETag: \"1\"", "Content-Range: bytes 2-5/6"],
        ["ETag: \"1\"", "Content-Range: bytes 3-5/7"], ["Content-Range: bytes 3-5/6"], ["ETag: \"1\""],
    ])
    func `bytes that may belong to another representation are not joined`(lines: [String]) async throws {
        let scene = Scene { sent in
            if sent.number == 3 { return .init(200, ["ETag: \"2\""], "whole") }
            guard sent.number == 1 else { return .init(206, lines, "DEF") }
            let held = HeldBody(size: 6)
            held.send("abc")
            held.fail()
            return .init(200, Self.strong, held.body)
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send().body == "whole")
        #expect(scene.origin.sent.last?.field(.range) == nil)
    }

    @Test func `the bytes up to the end of reading are kept for the next request`() async throws {
        let held = HeldBody(size: 6)
        let stored = Gate()
        let store = GatedStore(commit: stored)
        let scene = Scene(in: store) { sent in
            sent.number == 1
                ? .init(200, Self.strong, held.body)
                : .init(206, ["ETag: \"1\"", "Content-Range: bytes 3-5/6"], "def")
        }
        held.send("abc")
        #expect(try await scene.first() == "abc")
        await stored.arrivals(1)
        stored.open()
        await store.commits.arrivals(1)
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.sent.last?.field(.range) == "bytes=3-")
    }

    @Test func `ranges are served from the whole that a part was completed to`() async throws {
        let text = Array("0123456789".utf8)
        let scene = Scene { sent in
            let range = sent.field(.range) == "bytes=0-4" ? 0..<5 : 5..<10
            let line = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/10"
            return .init(
                206,
                ["ETag: \"1\"", "Cache-Control: max-age=60", line],
                String(decoding: text[range], as: UTF8.self)
            )
        }
        let part = try await scene.send(ask("/a", ["Range: bytes=0-4"]))
        #expect((part.code, part.body) == (206, "01234"))
        let whole = try await scene.send()
        #expect((whole.code, whole.body, whole.status?.stored) == (200, "0123456789", true))
        for (range, part) in [("-2", "89"), ("3-6", "3456")] {
            let hit = try await scene.send(ask("/a", ["Range: bytes=\(range)"]))
            #expect((hit.code, hit.body, hit.isHit) == (206, part, true))
        }
        #expect(scene.origin.count == 2)
    }

    @Test func `a part at the end is completed with the beginning`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(206, ["ETag: \"1\"", "Cache-Control: max-age=60", "Content-Range: bytes 3-5/6"], "def")
                : .init(206, ["ETag: \"1\"", "Content-Range: bytes 0-2/6"], "abc")
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=3-"]))
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.sent.last?.field(.range) == "bytes=0-2")
        #expect(try await scene.send().isHit)
    }

    @Test(arguments: ["Content-Length: 5", "Content-Length: 7"])
    func `a body without the announced length is not stored`(line: String) async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60", line], "abcdef") }
        #expect(try await scene.send().body == "abcdef")
        #expect(try await scene.send().isHit == false)
    }

    @Test func `a body that ends because its reader was canceled is not whole`() async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1 ? .init(200, ["Cache-Control: max-age=60"], held.body) : .init(200, [], "whole")
        }
        held.send("abc")
        #expect(try await scene.first() == "abc")
        try await held.released.pass()
        #expect(try await scene.send().body == "whole")
    }

    @Test func `an endless body is forwarded and not kept`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 10_000)
        let scene = Scene(in: store) { _ in
            .init(200, ["Cache-Control: max-age=60"], HTTPBody(Endless()))
        }
        let (_, body) = try await scene.client.send(ask())
        var count = 0
        for try await piece in body {
            count += piece.count
            if count > 100_000 { break }
        }
        #expect(store.size() == 0)
    }
}

/// An endless sequence of pieces of a thousand bytes.
private struct Endless: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        func next() async throws -> Data? { Data(repeating: 0x78, count: 1000) }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

extension Scene {
    /// The first piece of a streamed body, of which no more is read.
    func first(_ request: HTTPRequest = ask()) async throws -> String? {
        let (_, body) = try await client.send(request)
        for try await piece in body { return String(decoding: piece, as: UTF8.self) }
        return nil
    }
}
