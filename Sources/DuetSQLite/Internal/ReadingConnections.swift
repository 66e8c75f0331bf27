import Foundation
import GRDB
import Synchronization

/// The connections that read one database, all of them open from the beginning: what is at its path may be another file later.
///
/// Those that wait for nobody read where they are asked to, a few pages from memory or from the disk: to go to another thread
/// and back takes as long as reading a hundred kilobytes. When all of them read, or somebody locks them out, one that waits does
/// it on a thread of its own, so that no thread which tasks share stands still for the work of others.
final class ReadingConnections: Sendable {
    private let idle: Mutex<[DatabaseQueue]>
    private let patient: DatabaseQueue
    private let patience: Patience

    /// Opens them; `configuration` says how long that may wait.
    init(_ place: HTTPCachePlace, _ configuration: Configuration) throws {
        var reading = configuration
        reading.readonly = true
        patient = try DatabaseQueue(path: place.path, configuration: reading)
        patience = Patience(place)
        // Tasks share as many threads as there are processors; more read at once where others read too.
        let count = min(8, ProcessInfo.processInfo.activeProcessorCount)
        // They wait while they are opened: the disk may still be busy with what the last process left.
        let prompt = try (0..<count).map { _ in try DatabaseQueue(path: place.path, configuration: reading) }
        for connection in prompt { connection.unsafeRead { $0.waitForOthers(.zero) } }
        idle = Mutex(prompt)
    }

    /// Reads with one statement.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        if let result = readNow(body) { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
            patient.asyncUnsafeRead { [patience] database in
                continuation.resume(with: Result { try patience.use(database.get(), body) })
            }
        }
    }

    /// Nil when that would have to wait.
    private func readNow<Value>(_ body: (Database) throws -> Value) -> Result<Value, any Error>? {
        guard let connection = idle.withLock({ $0.popLast() }) else { return nil }
        defer { idle.withLock { $0.append(connection) } }
        do {
            let value = try connection.unsafeRead(body)
            patience.restore()
            return .success(value)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return nil
        } catch {
            return .failure(error)
        }
    }
}
