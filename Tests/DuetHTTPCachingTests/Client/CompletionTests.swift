import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.4, completing what is stored", .timeLimit(.minutes(5)))
struct CompletionTests {
    static let strong = ["Cache-Control: max-age=60", "ETag: \"1\""]

    @Test(arguments: Way.allCases)
    func `the part that is completed is the one that was asked about`(way: Way) async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1:
                let lines = ["ETag: \"a\"", "Vary: X", "Content-Length: 6", "Date: Tue, 14 Nov 2023 22:13:20 GMT"]
                return .init(200, ["Cache-Control: max-age=60"] + lines, .broken(after: "aaa"))
            case 2:
                let lines = ["ETag: \"b\"", "Content-Length: 6", "Date: Tue, 14 Nov 2023 22:11:40 GMT"]
                return .init(200, ["Cache-Control: max-age=600"] + lines, .broken(after: "bbb"))
            default:
                let lines = ["ETag: \"a\"", "Vary: X", "Content-Range: bytes 3-5/6", "Cache-Control: max-age=60"]
                return .init(206, lines, "AAA")
            }
        }
        let request = ask("/a", ["X: 1"])
        await #expect(throws: Unplugged.self) { try await scene.stream(request) }
        // Another variant breaks for those who do not send the field, and matches whoever asks.
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        #expect(try await way.ask(scene, request).body == "aaaAAA")
        #expect(try await way.ask(scene, request).body == "aaaAAA")
        #expect(scene.origin.sent.last?.field(.ifRange) == "\"a\"")
    }

    @Test(arguments: Way.allCases)
    func `a body whose length nobody told is completed too`(way: Way) async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, Self.strong, .broken(after: "abc"))
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], "def")
        }
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        #expect(try await way.ask(scene, ask()).body == "abcdef")
        #expect(scene.origin.count == 2)
        #expect(try await way.ask(scene, ask()).isHit)
    }

    @Test(arguments: ["de", "defg"])
    func `a completion of another length than it says is no whole body`(bytes: String) async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
            case 2: .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], bytes)
            default: .init(200, Self.strong, "abcdef")
            }
        }
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        let error = await #expect(throws: HTTPClientError.self) { try await scene.stream() }
        #expect(error?.description.contains("instead of 3") == true)
        #expect(try await scene.stream().body == "abcdef")
    }

    @Test(arguments: ["de", "defg"])
    func `of such a completion the whole is asked for, as long as nothing was handed on`(bytes: String) async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
            case 2: .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], bytes)
            default: .init(200, Self.strong, "abcdef")
            }
        }
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.sent.map { $0.field(.range) } == [nil, "bytes=3-", nil])
    }

    @Test(arguments: [("45", true), ("45XXXX", false)])
    func `a part is joined only when it has no more bytes than it says`(bytes: String, isJoined: Bool) async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(206, Self.strong + ["Content-Range: bytes 0-3/10"], "0123")
            case 2: .init(206, Self.strong + ["Content-Range: bytes 4-5/10"], bytes)
            default:
                isJoined
                    ? .init(206, Self.strong + ["Content-Range: bytes 6-9/10"], "6789")
                    : .init(206, Self.strong + ["Content-Range: bytes 4-9/10"], "456789")
            }
        }
        for range in ["bytes=0-3", "bytes=4-5"] { _ = try await scene.stream(ask("/a", ["Range: \(range)"])) }
        #expect(try await scene.stream().body == "0123456789")
        #expect(scene.origin.sent.last?.field(.range) == (isJoined ? "bytes=6-" : "bytes=4-"))
    }

    @Test func `a completion is bounded as the message's body is`() async throws {
        let scene = Scene { sent in
            sent.field(.range) == nil
                ? .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], "def")
        }
        for (limit, isTaken) in [(5, false), (6, true)] {
            await #expect(throws: Unplugged.self) { try await scene.stream(ask("/\(limit)")) }
            var options = HTTPRequestOptions()
            options.maximumBodySize = limit
            let answer = try? await options.use { try await scene.send(ask("/\(limit)")) }
            #expect((answer?.body == "abcdef") == isTaken)
        }
    }

    @Test(arguments: Way.allCases)
    func `parts that end where numbers do are joined or not, and nothing overflows`(way: Way) async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(
                    206,
                    Self.strong + ["Content-Range: bytes 9223372036854775790-9223372036854775799/*"],
                    "0123456789"
                )
                : .init(
                    206,
                    Self.strong + ["Content-Range: bytes 9223372036854775800-9223372036854775805/*"],
                    String(repeating: "x", count: 100)
                )
        }
        for _ in 1...2 { _ = try await way.ask(scene, ask("/a", ["Range: bytes=0-1"])) }
        #expect(scene.origin.count == 2)
    }

    @Test(arguments: Way.allCases)
    func `a part does not take the place of the whole that it is of`(way: Way) async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, Self.strong, "0123456789")
                : .init(206, Self.strong + ["Content-Range: bytes 0-3/10"], "0123")
        }
        _ = try await way.ask(scene, ask())
        let part = try await way.ask(scene, ask("/a", ["Range: bytes=0-3", "If-Match: \"1\""]))
        #expect(part.body == "0123")
        #expect(part.status?.notStored == .range)
        let whole = try await way.ask(scene, ask())
        #expect(whole.isHit)
        #expect(whole.body == "0123456789")
    }

    @Test func `a completion that breaks off early does not take the place of what it was to complete`() async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(206, Self.strong + ["Content-Range: bytes 2-9/10"], "23456789")
            case 2: .init(200, Self.strong + ["Content-Length: 10"], .broken(after: "0"))
            default: .init(206, Self.strong + ["Content-Range: bytes 0-1/10"], "01")
            }
        }
        _ = try await scene.stream(ask("/a", ["Range: bytes=2-9"]))
        await #expect(throws: Unplugged.self) { try await scene.stream() }
        #expect(try await scene.stream().body == "0123456789")
        #expect(scene.origin.sent.map { $0.field(.range) } == ["bytes=2-9", "bytes=0-1", "bytes=0-1"])
    }

    @Test func `many small parts are not written again and again`() async throws {
        let size = 20_000
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            let first = Int(sent.field(.range)?.dropFirst(6).split(separator: "-").first ?? "") ?? 0
            let end = sent.field(.range)?.hasSuffix("-") == true ? 200 * size : first + size
            let lines = Self.strong + ["Content-Range: bytes \(first)-\(end - 1)/\(200 * size)"]
            return .init(206, lines, String(repeating: "x", count: end - first))
        }
        for number in 0..<200 {
            let range = "Range: bytes=\(number * size)-\((number + 1) * size - 1)"
            #expect(try await scene.stream(ask("/a", [range])).body.count == size)
        }
        #expect(store.written < 50_000_000, "4 MB in 200 parts")
        // What is kept is of use all the same.
        #expect(try await scene.stream().body.count == 200 * size)
        let first = try #require(scene.origin.sent.last?.field(.range)?.dropFirst(6).dropLast())
        #expect(try #require(Int(first)) >= 1_000_000)
    }

    @Test(arguments: [("4-5", "bytes=0-2"), ("4-6", "bytes=0-2"), ("4-7", "bytes=4-7")])
    func `of two parts with a gap between them the larger one stays`(range: String, hit: String) async throws {
        let text = Array("0123456789".utf8)
        let scene = Scene { sent in
            let ends = (sent.field(.range) ?? "bytes=0-9").dropFirst(6).split(separator: "-").compactMap { Int($0) }
            let lines = Self.strong + ["Content-Range: bytes \(ends[0])-\(ends[1])/10"]
            return .init(206, lines, String(decoding: text[ends[0]...ends[1]], as: UTF8.self))
        }
        _ = try await scene.stream(ask("/a", ["Range: bytes=0-2"]))
        _ = try await scene.stream(ask("/a", ["Range: bytes=\(range)"]))
        #expect(try await scene.stream(ask("/a", ["Range: \(hit)"])).isHit)
    }

    @Test func `the head of a part is there before what is stored is read`() async throws {
        let reading = Gate()
        let scene = Scene(in: FaultyStore(reading: reading)) { sent in
            sent.number == 1
                ? .init(206, Self.strong + ["Content-Range: bytes 0-2/6"], "abc")
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], .broken(after: "de"))
        }
        _ = try await scene.stream(ask("/a", ["Range: bytes=0-2"]))
        let (response, body) = try await scene.client.send(ask("/a", ["Range: bytes=3-5"]), body: nil)
        #expect(response.status.code == 206)
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == "de".data)
        reading.open()
        await #expect(throws: Unplugged.self) { try await reader.next() }
    }
}
