import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// What is held for those who come late is bounded for all loads of a cache together.
@Suite(.timeLimit(.minutes(5)))
struct SharedMemoryTests {
    private static let lines = ["Cache-Control: max-age=60"]

    /// Makes pieces, and counts those of their bytes that somebody holds.
    private final class Pieces: Sendable {
        private let held = Mutex(0)

        var count: Int { held.withLock { $0 } }

        func piece(_ count: Int) -> Data {
            held.withLock { $0 += count }
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0x78, count: count)
            let free: @Sendable (UnsafeMutableRawPointer, Int) -> Void = { [self] bytes, count in
                unsafe bytes.deallocate()
                held.withLock { $0 -= count }
            }
            return unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .custom(free))
        }
    }

    private func scene(limit: Int, capacity: Int64 = 0, _ script: @escaping ScriptedOrigin.Script) -> Scene {
        var configuration = CachingHTTPClient.Configuration()
        configuration.sharedBodyLimit = limit
        return Scene(in: InMemoryHTTPCacheStore(capacity: capacity), configuration: configuration, script)
    }

    @Test(arguments: [Int64(1_000_000), 0])
    func `beyond it less is held for who is slow, who has the rest where all is stored`(capacity: Int64) async throws {
        let pieces = Pieces()
        let held = (0..<5).map { _ in HeldBody() }
        let scene = scene(limit: 1600, capacity: capacity) { .init(200, Self.lines, held[$0.number - 1].body) }
        let (_, slow) = try await scene.client.send(ask("/0"), body: nil)
        var readers: [HTTPBody.AsyncIterator] = []
        for number in 0..<5 {
            readers.append(try await scene.client.send(ask("/\(number)"), body: nil).1.makeAsyncIterator())
            for _ in 1...16 {
                held[number].send(pieces.piece(100))
                #expect(try await readers[number].next()?.count == 100)
            }
        }
        // A little of the first is held for the slow one, and the others may be joined.
        #expect(pieces.count == 100 + 4 * 1600)
        held[0].end()
        #expect(try await readers[0].next() == nil)
        if capacity > 0 {
            #expect(try await slow.text().count == 1600)
        } else {
            await #expect(throws: HTTPCacheError.self) { try await slow.text() }
        }
        #expect(scene.origin.count == 5)
    }

    @Test func `what has ended is within it too, and keeps nobody from joining others`() async throws {
        let pieces = Pieces()
        let held = (0..<6).map { _ in HeldBody() }
        let scene = scene(limit: 400_000, capacity: 10_000_000) { .init(200, Self.lines, held[$0.number - 1].body) }
        var slow: [HTTPBody] = []
        for number in 0..<5 {
            slow.append(try await scene.client.send(ask("/\(number)"), body: nil).1)
            var fast = try await scene.client.send(ask("/\(number)"), body: nil).1.makeAsyncIterator()
            for _ in 1...4 {
                held[number].send(pieces.piece(100_000))
                #expect(try await fast.next()?.count == 100_000)
            }
            held[number].end()
            #expect(try await fast.next() == nil)
        }
        #expect(pieces.count == 200_000 + 4 * 400_000)
        held[5].send(pieces.piece(100_000))
        var first = try await scene.client.send(ask("/5"), body: nil).1.makeAsyncIterator()
        #expect(try await first.next()?.count == 100_000)
        #expect(try await scene.client.send(ask("/5"), body: nil).0.cacheStatus?.collapsed == true)
        #expect(pieces.count == 2 * 200_000 + 3 * 400_000 + 100_000)
        for body in slow { #expect(try await body.text().count == 400_000) }
        #expect(scene.origin.count == 6)
    }

    @Test(arguments: [(99, true), (100, true), (101, false)])
    func `beyond four times the limit of one the load begun first is joined no longer`(last: Int, isJoined: Bool)
        async throws
    {
        let pieces = Pieces()
        let held = (0..<5).map { _ in HeldBody() }
        let scene = scene(limit: 1000) { sent in
            sent.number <= 5 ? .init(200, Self.lines, held[sent.number - 1].body) : .init(200, Self.lines, "other")
        }
        var readers: [HTTPBody.AsyncIterator] = []
        for (number, count) in [1000, 1000, 1000, 900, last].enumerated() {
            held[number].send(pieces.piece(count))
            readers.append(try await scene.client.send(ask("/\(number)"), body: nil).1.makeAsyncIterator())
            #expect(try await readers[number].next()?.count == count)
        }
        #expect(pieces.count == (isJoined ? 3900 : 2900) + last)
        for number in (0..<5).reversed() {
            let (response, _) = try await scene.client.send(ask("/\(number)"), body: nil)
            #expect(response.cacheStatus?.collapsed == (number > 0 || isJoined))
        }
        // What nobody joins any more is read to its end all the same.
        for number in 0..<5 {
            held[number].send("end")
            held[number].end()
            #expect(try await readers[number].next() == "end".data)
            #expect(try await readers[number].next() == nil)
        }
    }

    @Test func `readers that stop do not add up, and with them goes what was held`() async throws {
        let pieces = Pieces()
        let scene = scene(limit: 1000) { _ in
            let held = HeldBody()
            for _ in 1...9 { held.send(pieces.piece(100)) }
            return .init(200, Self.lines, held.body)
        }
        for round in 1...3 {
            var readers: [HTTPBody.AsyncIterator] = []
            for number in 0..<50 {
                var reader = try await scene.client.send(ask("/\(round)/\(number)"), body: nil).1.makeAsyncIterator()
                for _ in 1...9 { #expect(try await reader.next()?.count == 100) }
                readers.append(reader)
            }
            #expect(pieces.count <= 4000)
            // As before, so that nothing is counted that has gone.
            #expect(pieces.count > 3000)
        }
    }
}
