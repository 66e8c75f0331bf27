import DuetCaching
import DuetContracts
import DuetSQLite
import Foundation

/// Uses a store of values on a full disk, which the system simulates for one process: no file may grow.
struct FullDisk {
    struct Fault: Error {
        let what: String
    }

    private let path: String
    private let subject: CacheStoreSubject

    init(path: String) async throws {
        self.path = path
        subject = CacheStoreSubject(try await SQLiteCacheStore(path: path, busyTimeout: .seconds(3_600)))
    }

    /// Reports a step when the store has kept its values without room, and another when it works again.
    func run(limit: Int) async throws {
        // By default, the system ends a process that exceeds the limit.
        signal(SIGXFSZ, SIG_IGN)
        for number in 0..<3 { try await insert(number) }

        try limitFiles(to: rlim_t(limit))
        var failureCount = 0
        for number in 10..<50 {
            do { try await insert(number) } catch SQLiteStoreError.failed(path, _) { failureCount += 1 }
        }
        guard failureCount > 0 else { throw Fault(what: "each value is stored") }
        for number in 0..<3 { try await find(number) }
        try StoreWriter.tellStep()

        try limitFiles(to: nil)
        for number in 50..<60 { try await insert(number) }
        for number in 50..<60 { try await find(number) }
        try StoreWriter.tellStep()
    }

    private func insert(_ number: Int) async throws {
        try await subject.insert(number, count: StoreWriter.size(number))
    }

    private func find(_ number: Int) async throws {
        let value = CacheStoreSubject.value(number, count: StoreWriter.size(number))
        try await subject.expect(value, for: CacheStoreSubject.key(number))
    }

    /// Limits the length of files; nil removes the limit.
    private func limitFiles(to length: rlim_t?) throws {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            throw POSIXError(.EINVAL)
        }
        limit.rlim_cur = length ?? limit.rlim_max
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            throw POSIXError(.EINVAL)
        }
    }
}
