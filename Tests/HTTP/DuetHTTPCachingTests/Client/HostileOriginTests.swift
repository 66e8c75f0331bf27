import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HostileOriginTests {
    @Test func `the number of kept variants is limited`() async throws {
        let store = InMemoryHTTPCacheStore()
        let scene = Scene(in: store) { sent in
            .init(200, ["Cache-Control: max-age=60", "Vary: User-Agent"], sent.field(.userAgent) ?? "")
        }
        for number in 1...100 { _ = try await scene.send(ask("/a", ["User-Agent: \(number)"])) }
        let key = HTTPCacheKey(uri: "https://origin.example/a")
        #expect(store.responses(for: key).count == 32)
        // The oldest variants were removed.
        #expect(try await scene.send(ask("/a", ["User-Agent: 100"])).isHit)
        #expect(try await scene.send(ask("/a", ["User-Agent: 69"])).isHit)
        #expect(try await scene.send(ask("/a", ["User-Agent: 68"])).isHit == false)
    }

    @Test(
        arguments: [
            "Age: 9223372036854775808", "Age: -1", "Date: Mon, 01 Jan 0000 00:00:00 GMT",
            "Date: Fri, 31 Dec 9999 23:59:59 GMT", "Expires: Fri, 31 Dec 9999 23:59:59 GMT",
            "Cache-Control: max-age=99999999999999999999", "Last-Modified: Mon, 01 Jan 0000 00:00:00 GMT",
            "Content-Length: 99999999999999999999", "Content-Length: -1", "Content-Range: bytes 0-1/2",
            "Content-Range: bytes 18446744073709551615-18446744073709551616/*", "Vary: \u{1}", "ETag: \"",
            "Cache-Control: max-age=60, max-age=0, private=\"", "Cache-Status: ;;;\"", "Location: :::",
        ],
        [200, 203, 206, 304, 404, 500, 599]
    )
    func `meaningless settings are harmless`(line: String, status: Int) async throws {
        let store = InMemoryHTTPCacheStore()
        let scene = Scene(in: store) { _ in
            .init(status, ["Cache-Control: max-age=5, stale-while-revalidate=10", "ETag: \"1\"", line], "body")
        }
        for seconds in [0.0, 4, 6, 1e12, -1e13] {
            scene.time.pass(seconds)
            for method in [HTTPRequest.Method.get, .head, .post] {
                let answer = try await scene.send(ask("/a", [], method))
                #expect(answer.body == "body", "\(answer.response)")
                #expect(store.responses(for: HTTPCacheKey(uri: "https://origin.example/a")).count <= 2)
            }
        }
    }

    @Test func `repeated confirmations do not add fields without limit`() async throws {
        let scene = Scene { sent in
            let lines = ["ETag: \"1\"", "Cache-Control: no-cache"]
            let isConfirmed = sent.field(.ifNoneMatch) != nil
            guard isConfirmed else { return .init(200, lines, "body") }
            return .init(304, lines + (0..<250).map { "X-\(sent.number)-\($0): \($0)" })
        }
        var most = 0
        for _ in 1...30 {
            _ = try await scene.send(ask("/a", ["Cache-Control: no-cache"]))
            most = max(most, try await scene.send().response.headerFields.count)
        }
        #expect(try await scene.send().body == "body")
        #expect((2_000...4_100).contains(most))
    }

    @Test func `many resources take no more than the capacity`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 50_000)
        let body = String(repeating: "x", count: 5000)
        let scene = Scene(in: store) { _ in .init(200, ["Cache-Control: max-age=60"], body) }
        _ = try await scene.send(ask("/1"))
        let kept = Int(50_000 / store.size)
        for number in 2...9 { _ = try await scene.send(ask("/\(number)")) }
        // From here on, all URIs have the same length.
        for number in 10...99 {
            _ = try await scene.send(ask("/\(number)"))
            #expect(store.size <= 50_000)
        }
        let left = (10...99).filter { !store.responses(for: HTTPCacheKey(uri: "https://origin.example/\($0)")).isEmpty }
        #expect(left == Array((100 - kept)...99))
        for number in left { #expect(try await scene.send(ask("/\(number)")).isHit) }
    }

    @Test func `fields outside the key do not poison the cache`() async throws {
        let scene = Scene { sent in
            .init(
                200,
                ["Cache-Control: max-age=60", "Vary: X-Forwarded-Host"],
                sent.field(.init("X-Forwarded-Host")!) ?? ""
            )
        }
        #expect(try await scene.send(ask("/a", ["X-Forwarded-Host: evil"])).body == "evil")
        #expect(try await scene.send().body.isEmpty)
    }
}
