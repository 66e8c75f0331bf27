import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Tests of groups of responses (RFC 9875).
@Suite(.timeLimit(.minutes(5)))
struct GroupTests {
    private static let cacheable = ["Cache-Control: max-age=60, stale-if-error=60", "ETag: \"1\""]

    /// Each path is in a group with its name, and a change of `/-a` makes the group of `/a` stale.
    private func scene(
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore()
    ) -> Scene {
        Scene(in: store) { sent in
            let group = sent.request.path?.drop { "/-".contains($0) } ?? ""
            if sent.request.method == .post {
                return .init(204, ["Cache-Group-Invalidation: \"\(group)\""])
            }
            if sent.field(.ifNoneMatch) != nil { return .init(304, ["ETag: \"1\""]) }
            return .init(200, Self.cacheable + ["Cache-Groups: \"\(group)\";a=1, \"all\""], "\(sent.number)")
        }
    }

    @Test func `a change makes stale the responses of its groups, on its origin`() async throws {
        let scene = scene()
        for path in ["/a", "/b"] { _ = try await scene.send(ask(path)) }
        var other = ask("/a")
        other.authority = "other.example"
        _ = try await scene.send(other)
        scene.time.pass(1)
        _ = try await scene.send(ask("/-a", [], .post))
        #expect(try await scene.send(ask("/b")).isHit)
        #expect(try await scene.send(other).isHit)
        scene.time.pass(1)
        let validated = try await scene.send(ask("/a"))
        #expect(!validated.isHit)
        #expect(scene.origin.sent.last?.field(.ifNoneMatch) != nil)
        #expect(try await scene.send(ask("/a")).isHit)
        _ = try await scene.send(ask("/-all", [], .post))
        for path in ["/a", "/b"] { #expect(try await !scene.send(ask(path)).isHit) }
    }

    @Test(arguments: ["", "a", "\"a", "\"a\",", "\"a\" \"b\"", "(\"a\")", "1", "\"a\\b\"", "\"\u{7F}\""])
    func `a field that is no list of strings is ignored`(_ field: String) async throws {
        let scene = Scene { sent in
            sent.request.method == .post
                ? .init(204, ["Cache-Group-Invalidation: \(field)"])
                : .init(200, Self.cacheable + ["Cache-Groups: \"a\", \"b\""], "\(sent.number)")
        }
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send(ask("/other", [], .post))
        #expect(try await scene.send().isHit)
    }

    @Test func `a field in the response to a safe request is ignored`() async throws {
        let scene = Scene { _ in
            .init(200, Self.cacheable + ["Cache-Groups: \"a\"", "Cache-Group-Invalidation: \"a\""], "text")
        }
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send(ask("/other"))
        #expect(try await scene.send().isHit)
    }

    @Test func `a response that was requested before the change is stale`() async throws {
        let gate = Gate()
        let scene = Scene { sent in
            if sent.request.method == .post { return .init(204, ["Cache-Group-Invalidation: \"a\""]) }
            if sent.number == 1 { try await gate.pass() }
            return .init(200, Self.cacheable + ["Cache-Groups: \"a\""], "\(sent.number)")
        }
        let first = Task { try await scene.send() }
        await gate.arrivals(1)
        scene.time.pass(1)
        _ = try await scene.send(ask("/other", [], .post))
        // It does not wait for the first one.
        scene.time.pass(1)
        #expect(try await scene.send().body == "3")
        gate.open()
        #expect(try await first.value.body == "1")
        #expect(try await scene.send().body != "1")
    }

    @Test func `a response of an earlier launch is validated, and serves while the origin fails`() async throws {
        let store = InMemoryHTTPCacheStore()
        let first = scene(in: store)
        first.time.pass(-10)
        _ = try await first.send(ask("/a"))
        let second = Scene(in: store) { _ in throw HTTPClientError.unplugged }
        second.time.pass(1)
        #expect(try await second.send(ask("/a")).body == "1")
        #expect(second.origin.count == 1)
    }

    @Test func `one that is known to be stale does not serve while the origin fails`() async throws {
        let scene = Scene { sent in
            if sent.request.method == .post { return .init(204, ["Cache-Group-Invalidation: \"a\""]) }
            if sent.number > 1 { throw HTTPClientError.unplugged }
            return .init(200, Self.cacheable + ["Cache-Groups: \"a\""], "1")
        }
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send(ask("/other", [], .post))
        await #expect(throws: HTTPClientError.self) { try await scene.send() }
    }
}
