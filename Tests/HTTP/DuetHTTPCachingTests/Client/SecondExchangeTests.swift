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
}
