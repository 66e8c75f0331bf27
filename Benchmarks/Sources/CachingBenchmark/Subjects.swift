import Duet
import Foundation
import Synchronization

/// Doubles a number.
struct Twice: Query, Hashable {
    typealias Value = Int
    let number: Int
}

/// A query that is never dispatched.
struct Other: Query, Hashable {
    typealias Value = Int
}

/// Handles queries without a table of handlers, so that only the layers in front of it are measured.
struct Doubling: Dispatcher {
    @inline(never)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let query = message as? Twice, let value = 2 * query.number as? M.Value else {
            throw WrongValue(key: -1)
        }
        return value
    }
}

/// The smallest possible cache.
final class LockedDictionary: Sendable {
    private let values = Mutex<[Twice: Int]>([:])

    subscript(query: Twice) -> Int? {
        get { values.withLock { $0[query] } }
        set { values.withLock { $0[query] = newValue } }
    }
}

/// A cache on Foundation's `NSCache`.
struct FoundationCache {
    private let cache = NSCache<NSNumber, NSNumber>()

    subscript(key: Int) -> Int? {
        get { cache.object(forKey: NSNumber(value: key))?.intValue }
        nonmutating set {
            if let newValue { cache.setObject(NSNumber(value: newValue), forKey: NSNumber(value: key)) }
        }
    }
}

struct PassThrough: Middleware {
    @inline(__always)
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
