import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoredBodyTests {
    @Test func `a response that a 304 confirms and forbids to store is served once more and removed`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { sent in
            sent.field(.ifNoneMatch) == nil
                ? .init(200, ["ETag: \"1\"", "Cache-Control: max-age=1"], "\(sent.number)")
                : .init(304, ["ETag: \"1\"", "Cache-Control: no-store"])
        }
        _ = try await scene.send()
        scene.time.pass(1)
        let answer = try await scene.send()
        #expect((answer.body, answer.status?.forwardStatus) == ("1", 304))
        #expect(try await scene.send().body == "3")
        #expect(scene.reports.lines.isEmpty)
    }

    @Test(arguments: [0, 5, 6])
    func `a truncated stored body is not served as whole, and then removed`(length: Int) async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { _ in .init(200, ["Cache-Control: max-age=60"], "abcdef") }
        _ = try await scene.send()
        store.cutBodies(to: length)
        #expect(try await scene.collect().body == "abcdef")
        #expect(scene.origin.count == (length == 6 ? 1 : 2))
        guard length < 6 else { return }
        await #expect(throws: HTTPClientError.self) { try await scene.send() }
        // It is fetched again, instead of being found broken for as long as it is fresh.
        #expect(try await scene.send().body == "abcdef")
        #expect(scene.origin.count == 3)
    }

    @Test func `a part of a truncated stored body is not served`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { _ in .init(200, ["Cache-Control: max-age=60", "ETag: \"1\""], "abcdef") }
        _ = try await scene.send()
        store.cutBodies(to: 2)
        await #expect(throws: HTTPClientError.self) { try await scene.send(ask("/a", ["Range: bytes=1-3"])) }
    }

    @Test func `a stored body of another size is fetched from the origin`() async throws {
        let store = WrongHTTPCacheStore(fault: .shiftsRanges, store: InMemoryHTTPCacheStore())
        let scene = Scene(in: store) { sent in
            sent.field(.range) == nil
                ? .init(200, ["Cache-Control: max-age=60", "ETag: \"1\""], "abcdef")
                : .init(206, ["ETag: \"1\"", "Content-Range: bytes 1-3/6"], "bcd")
        }
        _ = try await scene.send()
        #expect(try await scene.send(ask("/a", ["Range: bytes=1-3"])).body == "bcd")
        #expect(scene.origin.count == 2)
        #expect(scene.reports.lines.first == "read failed")
    }

    @Test func `a streamed body can be read only once`() async throws {
        let held = HeldBody()
        held.send("abc")
        held.end()
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60"], held.body) }
        let (_, body) = try await scene.client.send(ask())
        #expect(try await body.text() == "abc")
        await #expect(throws: HTTPCacheError.bodyReadBefore(url: "https://origin.example/a")) { try await body.text() }
    }

    @Test func `only-if-cached does not reach the origin if the entry has been removed meanwhile`() async throws {
        let store = FaultyStore()
        let scene = Scene(in: store) { _ in .init(200, ["Cache-Control: max-age=60"], "one") }
        _ = try await scene.send()
        store.fail(.body)
        let answer = try await scene.send(ask("/a", ["Cache-Control: only-if-cached"]))
        #expect(answer.code == 504)
        #expect(scene.origin.count == 1)
    }
}
