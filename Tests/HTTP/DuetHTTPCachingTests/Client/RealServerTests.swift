import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RealServerTests {
    @Test func `a large body from a real server is stored, and read by several clients`()
        async throws
    {
        let gate = Gate()
        let router = Router()
        router.get("/large") { _, _ in
            Response(
                status: .ok,
                headers: [.cacheControl: "max-age=60"],
                body: ResponseBody { writer in
                    for index in 0..<20 {
                        if index == 10 { try await gate.pass() }
                        try await writer.write(ByteBuffer(repeating: UInt8(index), count: 50_000))
                    }
                    try await writer.finish(nil)
                }
            )
        }
        try await withServer(router.buildResponder()) { port in
            try await withNIOHTTPClient(clock: ManualClock()) { origin in
                let client = origin.caching(configuration: .init(waitLimit: .seconds(3_600)))
                let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/large")
                let first = Task.startingHere { try await client.data(for: request) }
                await gate.arrivals(1)
                let other = Task.startingHere { try await client.data(for: request) }
                gate.open()
                #expect(try await first.value.0.cacheStatus?.stored == true)
                let (shared, bytes) = try await other.value
                #expect(shared.cacheStatus?.collapsed == true)
                #expect(bytes.count == 1_000_000)
                let (hit, data) = try await client.data(for: request)
                #expect(hit.cacheStatus?.hit == true)
                #expect(data.count == 1_000_000)
                #expect(data.last == 19)
            }
        }
    }
}
