import Synchronization

/// An event that a read of a cached value waits for, such as the end of a command on another node.
final class ReadBarrier: Sendable {
    typealias Wait = @Sendable (_ query: String) async throws -> Void

    /// Whether reads wait, which each hit checks.
    private let isSet = Atomic(false)
    private let wait = Mutex<Wait?>(nil)

    func set(_ wait: Wait?) {
        self.wait.withLock { $0 = wait }
        isSet.store(wait != nil, ordering: .releasing)
    }

    @inline(__always)
    var isNeeded: Bool { isSet.load(ordering: .relaxed) }

    func pass(for query: String) async throws {
        try await wait.withLock { $0 }?(query)
    }
}
