import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import HTTPTypes
import Testing

/// A request that is sent a second time, to an origin that accepts one request at a time.
@Suite(.timeLimit(.minutes(5)))
struct SecondExchangeTests {
    private func scene(
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        _ script: @escaping ScriptedOrigin.Script
    )
        -> Scene
    {
        Scene(in: store, through: { $0.limiting(concurrency: 1) }, script)
    }

    @Test func `after a 304 that confirms nothing`() async throws {
        let scene = scene { sent in
            switch sent.number {
            case 1: .init(200, ["Cache-Control: max-age=0", "ETag: W/\"a\""], "one")
            case 2: .init(304, ["ETag: \"a\""], "")
            default: .init(200, ["ETag: \"a\""], "two")
            }
        }
        _ = try await scene.send()
        #expect(try await scene.send().body == "two")
    }

    @Test func `after a 304 for a response that was removed meanwhile`() async throws {
        let store = InMemoryHTTPCacheStore()
        let scene = scene(in: store) { sent in
            guard sent.field(.ifNoneMatch) != nil else {
                return .init(200, ["Cache-Control: max-age=0", "ETag: \"a\""], "\(sent.number)")
            }
            store.removeAll()
            return .init(304, ["ETag: \"a\""], "")
        }
        _ = try await scene.send()
        #expect(try await scene.send().body == "3")
    }

    @Test(arguments: [(416, ""), (206, "Content-Range: bytes 4-5/6"), (206, "Content-Range: bytes 3-4/6")])
    func `after a part that completes nothing`(code: Int, line: String) async throws {
        // Without an announced length, the body is not read to its end before it is released.
        let held = HeldBody()
        let scene = scene { sent in
            let strong = ["Cache-Control: max-age=60", "ETag: \"1\""]
            switch sent.number {
            case 1: return .init(206, strong + ["Content-Range: bytes 0-2/6"], "abc")
            case 2: return .init(code, strong + (line.isEmpty ? [] : [line]), held.body)
            default: return .init(200, strong, "abcdef")
            }
        }
        _ = try await scene.send(ask("/a", ["Range: bytes=0-2"]))
        #expect(try await scene.send().body == "abcdef")
        try await held.released.pass()
    }
}
