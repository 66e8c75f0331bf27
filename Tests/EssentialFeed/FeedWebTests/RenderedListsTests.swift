import DuetTesting
import FeedWeb
import Foundation
import Synchronization
import Testing

/// The lists that readers share.
struct RenderedListsTests {
    private struct Fault: Error {}

    private final class Renderings: Sendable {
        let count = Mutex(0)
    }

    private let lists = RenderedLists<Int, String, String>()
    private let gate = Gate()
    private let renderings = Renderings()

    private func html(_ key: Int, _ content: String = "a", at seconds: Double = 0, isHeld: Bool = false) async throws
        -> String
    {
        try await lists.html(of: content, as: key, at: Site.now.addingTimeInterval(seconds)) { [gate, renderings] in
            renderings.count.withLock { $0 += 1 }
            if isHeld { try await gate.pass() }
            return "\(key) \(content)"
        }
    }

    @Test func `requests for a list that is being rendered share it, and other lists do not wait`() async throws {
        async let first = html(1, isHeld: true)
        await gate.arrivals(1)
        async let second = html(1)
        async let third = html(1)
        #expect(try await html(2) == "2 a")
        gate.open()
        #expect(try await [first, second, third] == ["1 a", "1 a", "1 a"])
        #expect(renderings.count.withLock(\.self) == 2)
    }

    @Test func `a list is rendered once while its content stays the same, for five seconds`() async throws {
        for seconds in [0, 1, 4.9] { #expect(try await html(1, at: seconds) == "1 a") }
        #expect(renderings.count.withLock(\.self) == 1)
        _ = try await html(1, at: 5)
        _ = try await html(1, "b", at: 5)
        #expect(renderings.count.withLock(\.self) == 3)
    }

    @Test func `the oldest of more than 32 lists is rendered again`() async throws {
        for key in 0...32 { _ = try await html(key, at: Double(key) / 100) }
        for key in [1, 32] { _ = try await html(key, at: 1) }
        #expect(renderings.count.withLock(\.self) == 33)
        _ = try await html(0, at: 1)
        #expect(renderings.count.withLock(\.self) == 34)
    }

    @Test func `a list that could not be rendered is rendered again`() async throws {
        await #expect(throws: Fault.self) { try await lists.html(of: "a", as: 1, at: Site.now) { throw Fault() } }
        #expect(try await html(1) == "1 a")
    }
}
