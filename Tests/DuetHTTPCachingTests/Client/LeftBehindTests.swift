import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// Who reads too slowly to share a body, when who was faster has gone.
@Suite(.timeLimit(.minutes(5)))
struct LeftBehindTests {
    private let held = HeldBody()
    private let scene: Scene

    init() {
        scene = Scene(configuration: .init(sharedBodyLimit: 12)) { [held] _ in
            .init(200, SharingTests.cacheable, held.body)
        }
    }

    @Test func `who is left behind has all of it, though who was fast has gone`() async throws {
        let slow = try await leftBehind()
        held.send("ffff")
        held.end()
        #expect(try await slow.text() == "aaaabbbbccccddddeeeeffff")
        #expect(try await scene.send().isHit)
        #expect(scene.origin.count == 1)
    }

    @Test func `who is left behind and alone is told why the rest does not come`() async throws {
        let slow = try await leftBehind()
        held.fail()
        await #expect(throws: Unplugged.self) { try await slow.text() }
    }

    @Test func `who is left behind and alone is told at once when the rest will not be stored`() async throws {
        let store = InMemoryHTTPCacheStore(capacity: 40_000)
        let scene = Scene(in: store, configuration: .init(sharedBodyLimit: 12)) { [held] _ in
            .init(200, SharingTests.cacheable, held.body)
        }
        let others = [10_000, 9_994].map { count in
            let writer = store.writer(for: HTTPCacheKey(uri: "https://example.com/\(count)"))
            return (writer, Data(repeating: 0, count: count))
        }
        for (writer, bytes) in others { #expect(try await writer.append(bytes)) }
        let slow = try await leftBehind(in: scene)
        await #expect(throws: HTTPCacheError.self) { try await slow.text() }
    }

    @Test func `who is left behind and alone is told at once when what comes has been made invalid`() async throws {
        let slow = try await leftBehind()
        try await scene.client.removeAll()
        held.send("ffff")
        await #expect(throws: HTTPCacheError.self) { try await slow.text() }
    }

    /// The body of one of two, of whom the other has read more than the limit and left.
    private func leftBehind(in other: Scene? = nil) async throws -> HTTPBody {
        let scene = other ?? scene
        let (_, slow) = try await scene.client.send(ask(), body: nil)
        var fast = try await scene.client.send(ask(), body: nil).1.makeAsyncIterator()
        for piece in ["aaaa", "bbbb", "cccc", "dddd", "eeee"] { held.send(piece) }
        for _ in 1...5 { _ = try await fast.next() }
        return slow
    }
}
