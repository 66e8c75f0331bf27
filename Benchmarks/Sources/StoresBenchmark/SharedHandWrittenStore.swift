import Synchronization

/// The hand-written store, for one task at a time.
final class SharedHandWrittenStore: Sendable {
    private let store: Mutex<HandWrittenStore>

    init(path: String) throws {
        store = try Mutex(HandWrittenStore(path: path))
    }

    func use<Value: Sendable>(_ body: (HandWrittenStore) throws -> Value) rethrows -> Value {
        try store.withLock { try body($0) }
    }
}
