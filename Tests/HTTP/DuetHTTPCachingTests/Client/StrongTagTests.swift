import DuetHTTP
import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 4.3.4, all that have a strong tag are freshened", .timeLimit(.minutes(5)))
struct StrongTagTests {
    /// Stores two responses that match the same requests, of which the second is selected, and validates with a 304.
    private func answers(_ lines: [String], tags: (String, String) = ("\"1\"", "\"1\"")) async throws
        -> (scene: Scene, store: InMemoryHTTPCacheStore)
    {
        let store = InMemoryHTTPCacheStore()
        let fresh = ["Cache-Control: max-age=3600"]
        let scene = Scene(in: store) { sent in
            switch sent.number {
            case 1: .init(200, fresh + ["ETag: \(tags.0)"], "one")
            case 2: .init(200, fresh + ["ETag: \(tags.1)", "Vary: Accept"], "one")
            default: .init(304, ["ETag: \(tags.1)"] + lines)
            }
        }
        _ = try await scene.send()
        for _ in 1...2 {
            scene.time.pass(10)
            _ = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
        }
        #expect(scene.origin.count == 3)
        return (scene, store)
    }

    private func entries(_ store: InMemoryHTTPCacheStore) -> [StoredResponse] {
        store.responses(for: HTTPCacheKey(uri: "https://origin.example/a"))
    }

    @Test func `confirmed responses have the newer fields`() async throws {
        let (_, store) = try await answers(["Cache-Control: max-age=7"])
        #expect(entries(store).map { $0.response.headerFields[.cacheControl] } == ["max-age=7", "max-age=7"])
    }

    @Test func `a 304 with no-store removes all responses with its tag`() async throws {
        let (scene, store) = try await answers(["Cache-Control: no-store"])
        #expect(entries(store) == [])
        #expect(try await !scene.send().isHit)
    }

    @Test(arguments: [("\"1\"", "\"2\""), ("W/\"1\"", "W/\"1\"")])
    func `responses with another tag or a weak one are not changed`(first: String, second: String) async throws {
        let (_, store) = try await answers(["Cache-Control: max-age=7"], tags: (first, second))
        #expect(entries(store).map { $0.response.headerFields[.cacheControl] } == ["max-age=7", "max-age=3600"])
    }
}
