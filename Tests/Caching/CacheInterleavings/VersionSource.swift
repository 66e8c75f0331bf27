import Duet
import DuetCaching
import Synchronization

/// A query for the version of a key at the source.
struct LoadVersion: PayloadQuery, Hashable, Codable {
    typealias Value = Int
    let key: Int
}

/// A query for the sum of all versions, whose handler reads each version from the cache.
struct LoadSum: Query, Hashable, Codable {
    typealias Value = Int
}

/// A command that creates new versions of keys.
protocol Change: Command {
    var keys: Range<Int> { get }
}

struct ChangeKey: Change {
    let key: Int
    var keys: Range<Int> { key..<key + 1 }
}

/// The response to this command has the value of its key.
struct ChangeAnswered: Change, AnsweredCommand {
    let key: Int
    var keys: Range<Int> { key..<key + 1 }
    func answer(from _: Int?) -> LoadVersion? { LoadVersion(key: key) }
}

/// The rule for this command finds the value by a tag.
struct ChangeTagged: Change {
    let key: Int
    var keys: Range<Int> { key..<key + 1 }
}

struct ChangeAll: Change {
    var keys: Range<Int> { VersionSource.keys }
}

/// The rule for this command makes everything stale.
struct SignOut: Change {
    var keys: Range<Int> { VersionSource.keys }
}

/// The result of a command, even if it failed.
final class Receipt: Sendable {
    @TaskLocal static var current: Receipt?

    private let made = Mutex<[Int: Int]>([:])

    var versions: [Int: Int] { made.withLock(\.self) }

    func add(_ key: Int, _ version: Int) { made.withLock { $0[key] = version } }
}

struct Failed: Error {}

/// A server whose work is interrupted by other tasks, and fails sometimes.
final class VersionSource: Dispatcher {
    static let keys = 0..<2

    /// The dispatcher for the queries of the handler of `LoadSum`.
    let cache = Mutex<CachingDispatcher?>(nil)
    private let versions = Mutex([Int](repeating: 0, count: VersionSource.keys.count))
    private let isFailing: @Sendable () -> Bool

    init(isFailing: @escaping @Sendable () -> Bool) {
        self.isFailing = isFailing
    }

    func version(_ key: Int) -> Int { versions.withLock { $0[key] } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        await RandomExecutor.pause()
        let result: Any
        if let query = message as? LoadVersion {
            result = AnswerOffer.take(query, at: self)?.content ?? version(query.key)
        } else if message is LoadSum, let cache = cache.withLock(\.self) {
            var sum = 0
            // Values that replace an error are stale, and so is their sum.
            for key in Self.keys { sum += try await cache.dispatch(LoadVersion(key: key)) }
            result = sum
        } else {
            for key in (message as? any Change)?.keys ?? 0..<0 {
                let version = versions.withLock { versions in
                    versions[key] += 1
                    return versions[key]
                }
                Receipt.current?.add(key, version)
            }
            if let command = message as? ChangeAnswered {
                let response = AnswerResponse(version(command.key), from: self)
                CommandAnswer<ChangeAnswered>.current?.note(LoadVersion(key: command.key), in: response)
            }
            result = ()
        }
        await RandomExecutor.pause()
        try Task.checkCancellation()
        guard !isFailing(), let value = result as? M.Value else { throw Failed() }
        return value
    }
}
