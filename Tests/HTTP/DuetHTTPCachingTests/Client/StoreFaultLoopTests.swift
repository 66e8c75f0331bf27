import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Each operation of a store fails in turn.
@Suite(.timeLimit(.minutes(5)))
struct StoreFaultLoopTests {
    private static func scene(in store: FaultyStore, clock: any Clock<Duration> = ManualClock()) -> Scene {
        Scene(in: store, configuration: .init(clock: clock)) { sent in
            let tag = "ETag: \"\(sent.request.path ?? "")\""
            guard sent.request.method == .get || sent.request.method == .head else { return .init(204) }
            if sent.field(.ifNoneMatch) != nil {
                return .init(
                    304,
                    [tag, "Cache-Control: " + (sent.request.path == "/gone" ? "no-store" : "max-age=50")]
                )
            }
            let lines = ["Cache-Control: max-age=50", tag]
            if let range = sent.field(.range) {
                return range == "bytes=0-2"
                    ? .init(206, lines + ["Content-Range: bytes 0-2/6"], "abc")
                    : .init(206, lines + ["Content-Range: bytes 3-5/6"], "def")
            }
            return .init(200, lines + ["Content-Length: 6"], sent.request.method == .head ? "" : "abcdef")
        }
    }

    /// The requests in order, with the body that each one expects and the number of seconds before it.
    private static let steps: [(HTTPRequest, String, Double)] = [
        (ask("/a"), "abcdef", 0), (ask("/a"), "abcdef", 0), (ask("/a"), "abcdef", 60),
        (ask("/a", ["Range: bytes=0-2"]), "abc", 0), (ask("/b", ["Range: bytes=0-2"]), "abc", 0),
        (ask("/b", ["Range: bytes=3-5"]), "def", 0), (ask("/b"), "abcdef", 0),
        (ask("/c", ["Range: bytes=0-2"]), "abc", 0), (ask("/c"), "abcdef", 0),
        (ask("/gone"), "abcdef", 0), (ask("/gone"), "abcdef", 60), (ask("/gone"), "abcdef", 0),
        (ask("/a", ["Cache-Control: no-cache"], .head), "", 0), (ask("/a", [], .delete), "", 0),
        (ask("/a"), "abcdef", 0),
    ]

    @Test func `whichever operation fails, each response is correct, and the store works again`() async throws {
        let unharmed = FaultyStore()
        try await Self.run(Self.scene(in: unharmed))
        #expect(unharmed.count > 40)
        for number in 1...unharmed.count {
            let store = FaultyStore()
            store.fail(number: number)
            let scene = Self.scene(in: store)
            try await Self.run(scene)
            #expect(scene.reports.lines.first?.hasSuffix("failed") == true, "operation \(number)")
            #expect(scene.reports.lines.count <= 2, "operation \(number): \(scene.reports.lines)")
            for path in ["/a", "/b", "/c"] {
                #expect(try await scene.collect(ask(path)).body == "abcdef", "operation \(number)")
                #expect(try await scene.collect(ask(path)).isHit, "operation \(number)")
            }
        }
    }

    @Test func `whichever operation hangs, each response is correct, and the store is used again when it works`()
        async throws
    {
        let unharmed = FaultyStore()
        try await Self.run(Self.scene(in: unharmed))
        for number in 1...unharmed.count {
            let (store, clock) = (FaultyStore(), HangClock())
            store.hang(number: number, on: clock)
            let scene = Self.scene(in: store, clock: clock)
            try await Self.run(scene)
            #expect(clock.sleeps == [.seconds(1)], "operation \(number)")
            store.release()
            for path in ["/a", "/b", "/c"] {
                while try await !scene.collect(ask(path)).isHit { await Task.yield() }
                #expect(try await scene.collect(ask(path)).body == "abcdef", "operation \(number)")
            }
        }
    }

    @Test func `whichever operation fails, a streamed body is correct or ends with an error`() async throws {
        let unharmed = FaultyStore()
        try await Self.run(Self.scene(in: unharmed))
        for number in 1...unharmed.count {
            let store = FaultyStore()
            store.fail(number: number)
            let scene = Self.scene(in: store)
            var broken = 0
            for (request, body, seconds) in Self.steps {
                scene.time.pass(seconds)
                do {
                    #expect(try await scene.send(request).body == body, "operation \(number)")
                } catch let error as HTTPClientError where error.description.contains("cannot be read") {
                    broken += 1
                }
            }
            #expect(broken <= 1, "operation \(number)")
        }
    }

    private static func run(_ scene: Scene) async throws {
        for (number, (request, body, seconds)) in steps.enumerated() {
            scene.time.pass(seconds)
            #expect(try await scene.collect(request).body == body, "step \(number)")
        }
    }
}
