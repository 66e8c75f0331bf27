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
            guard sent.request.method == .get else { return .init(204) }
            if sent.field(.ifNoneMatch) != nil {
                return .init(
                    304,
                    [tag, "Cache-Control: " + (sent.request.path == "/gone" ? "no-store" : "max-age=50")]
                )
            }
            let lines = ["Cache-Control: max-age=50", tag, "Vary: Accept-Language", "Content-Length: 6"]
            return .init(200, lines, sent.field(.acceptLanguage) == "de" ? "ABCDEF" : "abcdef")
        }
    }

    private static let german = ask("/a", ["Accept-Language: de"])

    /// The requests in order, with the body that each one expects and the number of seconds before it.
    private static let steps: [(HTTPRequest, String, Double)] = [
        (ask("/a"), "abcdef", 0), (ask("/a"), "abcdef", 0), (ask("/a"), "abcdef", 60),
        (german, "ABCDEF", 0), (ask("/b"), "abcdef", 0), (german, "ABCDEF", 0), (ask("/b"), "abcdef", 60),
        (ask("/c", ["Cache-Control: no-cache"]), "abcdef", 0), (ask("/c"), "abcdef", 0),
        (ask("/gone"), "abcdef", 0), (ask("/gone"), "abcdef", 60), (ask("/gone"), "abcdef", 0),
        (ask("/a", [], .delete), "", 0), (ask("/a"), "abcdef", 0),
    ]

    @Test func `whichever operation fails, each response is correct, and the store works again`() async throws {
        let unharmed = FaultyStore(isDurable: true)
        try await Self.run(Self.scene(in: unharmed))
        #expect(unharmed.count > 20)
        for number in 1...unharmed.count {
            let store = FaultyStore(isDurable: true)
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
        let unharmed = FaultyStore(isDurable: true)
        try await Self.run(Self.scene(in: unharmed))
        for number in 1...unharmed.count {
            let (store, clock) = (FaultyStore(isDurable: true), HangClock())
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

    private static func run(_ scene: Scene) async throws {
        for (number, (request, body, seconds)) in steps.enumerated() {
            scene.time.pass(seconds)
            #expect(try await scene.collect(request).body == body, "step \(number)")
        }
    }
}
