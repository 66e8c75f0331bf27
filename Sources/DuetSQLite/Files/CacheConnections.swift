import GRDB
import Synchronization

/// The connections to an open file: one that writes, and as many that read as there are reads at a time.
///
/// GRDB's pool of readers takes three times as long for a read of one row. It waits for several locks and queues, and
/// asks for the version of the schema, which prepared statements check by themselves. `Monitor` would add a tenth to a
/// read of 1 kB.
final class CacheConnections: Sendable {
    private struct Readers {
        var idle: [DatabaseQueue] = []
        /// The number of reads in progress.
        var busyCount = 0
        /// Resumed when no read is in progress.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let writer: DatabaseQueue
    /// The number of the file in the file system, which stays when it is renamed.
    let number: Int?
    private let readers = Mutex(Readers())
    private let openReader: @Sendable () throws -> DatabaseQueue

    init(writer: DatabaseQueue, number: Int?, openReader: @escaping @Sendable () throws -> DatabaseQueue) {
        self.writer = writer
        self.number = number
        self.openReader = openReader
    }

    deinit {
        // The readers are closed first: the last connection empties and deletes the log, which a reader cannot.
        _ = takeIdleReaders()
    }

    /// Begins a read, which has to happen, and returns a connection if one is idle.
    func beginRead() -> DatabaseQueue? {
        readers.withLock { readers in
            readers.busyCount += 1
            return readers.idle.popLast()
        }
    }

    /// Reads on the calling thread, without a transaction.
    func read<Value>(on idle: DatabaseQueue?, _ body: (Database) throws -> Value) throws -> Value {
        var reader = idle
        defer { endRead(on: reader) }
        let used = try reader ?? openReader()
        reader = used
        return try used.unsafeRead(body)
    }

    private func endRead(on reader: DatabaseQueue?) {
        let waiters = readers.withLock { readers in
            readers.busyCount -= 1
            if let reader { readers.idle.append(reader) }
            guard readers.busyCount == 0, !readers.waiters.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { readers.waiters = [] }
            return readers.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the reads that have begun.
    func waitForReads() async {
        await withCheckedContinuation { continuation in
            let isIdle = readers.withLock { readers in
                if readers.busyCount > 0 { readers.waiters.append(continuation) }
                return readers.busyCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Closes the connections, when no read has begun.
    func close() {
        for reader in takeIdleReaders() { try? reader.close() }
        try? writer.close()
    }

    private func takeIdleReaders() -> [DatabaseQueue] {
        readers.withLock { readers in
            defer { readers.idle = [] }
            return readers.idle
        }
    }
}
