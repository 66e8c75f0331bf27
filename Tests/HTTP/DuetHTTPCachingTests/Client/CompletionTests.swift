import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Section 3.4, completing what is stored", .timeLimit(.minutes(5)))
struct CompletionTests {
    static let strong = ["Cache-Control: max-age=60", "ETag: \"1\""]

    @Test func `the completed part is the one whose rest was requested`() async throws {
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
        await #expect(throws: Unplugged.self) { try await scene.send(request) }
        // An incomplete response without the field is another variant, which matches the request too.
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send(request).body == "aaaAAA")
        #expect(try await scene.send(request).body == "aaaAAA")
        #expect(scene.origin.sent.last?.field(.ifRange) == "\"a\"")
    }

    @Test func `a body of unknown length is completed too`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, Self.strong, .broken(after: "abc"))
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], "def")
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.count == 2)
        #expect(try await scene.send().isHit)
    }

    @Test(arguments: ["de", "defg"])
    func `a completion without its announced length is not a whole body`(bytes: String) async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
            case 2: .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], bytes)
            default: .init(200, Self.strong, "abcdef")
            }
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        let error = await #expect(throws: HTTPClientError.self) { try await scene.send() }
        #expect(error?.description.contains("instead of 3") == true)
        #expect(try await scene.send().body == "abcdef")
    }

    @Test(arguments: ["de", "defg"])
    func `the whole is requested after such a completion, unless bytes have been forwarded`(bytes: String) async throws
    {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
            case 2: .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], bytes)
            default: .init(200, Self.strong, "abcdef")
            }
        }
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.collect().body == "abcdef")
        #expect(scene.origin.sent.map { $0.field(.range) } == [nil, "bytes=3-", nil])
    }

    @Test func `a completion has the same body limit as the message`() async throws {
        let scene = Scene { sent in
            sent.field(.range) == nil
                ? .init(200, Self.strong + ["Content-Length: 6"], .broken(after: "abc"))
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], "def")
        }
        for (limit, isTaken) in [(5, false), (6, true)] {
            await #expect(throws: Unplugged.self) { try await scene.send(ask("/\(limit)")) }
            var options = HTTPRequestOptions()
            options.maximumBodySize = limit
            let answer = try? await options.use { try await scene.send(ask("/\(limit)")) }
            #expect((answer?.body == "abcdef") == isTaken)
        }
    }

    @Test func `parts at the end of the range of numbers do not overflow`() async throws {
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
        for _ in 1...2 { _ = try await scene.send(ask("/a", ["Range: bytes=0-1"])) }
        #expect(scene.origin.count == 2)
    }

    @Test func `a part does not replace its whole`() async throws {
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, Self.strong, "0123456789")
                : .init(206, Self.strong + ["Content-Range: bytes 0-3/10"], "0123")
        }
        _ = try await scene.send()
        let part = try await scene.send(ask("/a", ["Range: bytes=0-3", "If-Match: \"1\""]))
        #expect(part.body == "0123")
        #expect(part.status?.notStored == .range)
        let whole = try await scene.send()
        #expect(whole.isHit)
        #expect(whole.body == "0123456789")
    }

    @Test func `a completion that ends early does not replace the stored part`() async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(206, Self.strong + ["Content-Range: bytes 2-9/10"], "23456789")
            case 2: .init(200, Self.strong + ["Content-Length: 10"], .broken(after: "0"))
            default: .init(206, Self.strong + ["Content-Range: bytes 0-1/10"], "01")
            }
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=2-9"]))
        await #expect(throws: Unplugged.self) { try await scene.send() }
        #expect(try await scene.send().body == "0123456789")
        #expect(scene.origin.sent.map { $0.field(.range) } == ["bytes=2-9", "bytes=0-1", "bytes=0-1"])
    }

    @Test func `the first of many small parts is kept and completed`() async throws {
        let size = 20_000
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            let first = Int(sent.field(.range)?.dropFirst(6).split(separator: "-").first ?? "") ?? 0
            let end = sent.field(.range)?.hasSuffix("-") == true ? 10 * size : first + size
            let lines = Self.strong + ["Content-Range: bytes \(first)-\(end - 1)/\(10 * size)"]
            return .init(206, lines, String(repeating: "x", count: end - first))
        }
        for number in 0..<10 {
            let range = "Range: bytes=\(number * size)-\((number + 1) * size - 1)"
            #expect(try await scene.send(ask("/a", [range])).body.count == size)
        }
        #expect(store.written == size)
        #expect(try await scene.send().body.count == 10 * size)
        #expect(scene.origin.sent.last?.field(.range) == "bytes=20000-")
    }

    @Test(arguments: [
        // With a gap between them, adjacent, and overlapping.
        ("4-5", "bytes=0-2"), ("4-6", "bytes=0-2"), ("4-7", "bytes=4-7"), ("3-4", "bytes=0-2"), ("3-6", "bytes=3-6"),
        ("1-2", "bytes=0-2"), ("1-3", "bytes=0-2"), ("1-4", "bytes=1-4"), ("0-2", "bytes=0-2"), ("0-3", "bytes=0-3"),
    ])
    func `the larger of two parts stays`(range: String, hit: String) async throws {
        let text = Array("0123456789".utf8)
        let scene = Scene { sent in
            let ends = (sent.field(.range) ?? "bytes=0-9").dropFirst(6).split(separator: "-").compactMap { Int($0) }
            let lines = Self.strong + ["Content-Range: bytes \(ends[0])-\(ends[1])/10"]
            return .init(206, lines, String(decoding: text[ends[0]...ends[1]], as: UTF8.self))
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=0-2"]))
        _ = try await scene.send(ask("/a", ["Range: bytes=\(range)"]))
        #expect(try await scene.send(ask("/a", ["Range: \(hit)"])).isHit)
    }

    @Test func `the head of a completed response is available before the stored part is read`() async throws {
        let reading = Gate()
        let scene = Scene(in: FaultyStore(reading: reading)) { sent in
            sent.number == 1
                ? .init(206, Self.strong + ["Content-Range: bytes 0-2/6"], "abc")
                : .init(206, Self.strong + ["Content-Range: bytes 3-5/6"], .broken(after: "de"))
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=0-2"]))
        let (response, body) = try await scene.client.send(ask())
        #expect(response.status.code == 200)
        reading.open()
        await #expect(throws: Unplugged.self) { try await body.text() }
    }
}
