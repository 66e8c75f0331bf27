import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import Foundation
import Hummingbird
import TestSupport
import Testing

/// Measures how long a screen is kept from other work while it loads 5.5 MB: with `DUET_STALL` set.
@MainActor
@Suite(.enabled(if: ProcessInfo.processInfo.environment["DUET_STALL"] != nil))
struct StallTests {
    private struct Row: Codable, Sendable {
        let id: Int
        let title: String
        let text: String
    }

    private struct LoadRows: HTTPQuery {
        typealias Value = [Row]
        static let route: QueryRoute<Self> = .get("rows")
    }

    @Test func `the main actor is stalled by 5 ms at most`() async throws {
        let text = String(repeating: "lorem ipsum ", count: 8)
        let rows = (1...40_000).map { Row(id: $0, title: "Row \($0)", text: text) }
        let body = ByteBuffer(bytes: try JSONEncoder().encode(rows))
        let router = Router()
        router.get("rows") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        let pauses = try await withServer(router.buildResponder()) { port in
            try await withNIOHTTPClient { client in
                let dispatcher = HTTPDispatcher(baseURL: try BaseURL("http://127.0.0.1:\(port)"), client: client)
                var pauses: [Duration] = []
                // Freeing a large value takes as long as what is measured, and is up to its owner.
                var loaded: [[Row]] = []
                for _ in 1...9 {
                    let ticker = Task { await Self.longestPause() }
                    await Task.yield()
                    loaded.append(try await dispatcher.dispatch(LoadRows()))
                    ticker.cancel()
                    pauses.append(await ticker.value)
                }
                #expect(loaded.allSatisfy { $0.count == rows.count })
                return pauses
            }
        }
        let median = pauses.sorted()[pauses.count / 2]
        print("\(body.readableBytes) bytes of JSON stalled the main actor for \(median), median of \(pauses.count).")
        #expect(median <= .milliseconds(5))
    }

    /// Asks for its turn on the main actor every millisecond until it is canceled, and returns how late it was at most.
    private static func longestPause() async -> Duration {
        let clock = ContinuousClock()
        var (longest, last) = (Duration.zero, clock.now)
        while !Task.isCancelled {
            try? await clock.sleep(for: .milliseconds(1))
            let now = clock.now
            (longest, last) = (max(longest, now - last - .milliseconds(1)), now)
        }
        return longest
    }
}
