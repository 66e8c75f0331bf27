import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import Foundation
import HTTPTypes
import Synchronization

/// Sends requests through a cache on a full disk, which the system simulates for one process: no file may grow.
struct FullDisk {
    struct Fault: Error {
        let what: String
    }

    private let client: CachingHTTPClient
    private let reports: Reports
    private let losses = Losses()
    private let path: String
    private let limit: Int
    private let time: Time

    init(path: String, limit: Int) async throws {
        self.path = path
        reports = Reports()
        time = Time()
        client = NumberedOrigin().caching(
            in: try await SQLiteHTTPCacheStore(path: path, onLoss: { [losses] in losses.add($0) }),
            configuration: CachingHTTPClient.Configuration(now: { [time] in time.now }),
            report: reports.add
        )
        self.limit = limit
    }

    /// Reports a step when it has continued without room, and another when it works again.
    func run() async throws {
        // By default, the system ends a process that exceeds the limit.
        signal(SIGXFSZ, SIG_IGN)
        for number in 0..<3 { _ = try await ask(number) }

        try limitFiles(to: rlim_t(limit))
        for round in 0..<3 {
            for number in 10..<50 { _ = try await ask(number) }
            for number in 0..<3 where try await !ask(number) {
                throw Fault(what: "\(number) was stored before, and is not found in round \(round)")
            }
        }
        guard reports.lines == ["write failed"] else { throw Fault(what: "reported: \(reports.lines)") }
        try HTTPCacheWriter.tellStep()

        try limitFiles(to: nil)
        time.pass(60)
        for number in 50..<60 { _ = try await ask(number) }
        for number in 50..<60 where try await !ask(number) { throw Fault(what: "\(number) is not stored") }
        let lines = reports.lines
        guard lines == ["write failed", "write works"] else { throw Fault(what: "reported: \(lines)") }
        try HTTPCacheWriter.tellStep()
    }

    /// Reports a step when the cache cannot be cleared and is therefore not used, and another when it works again.
    func clear() async throws {
        signal(SIGXFSZ, SIG_IGN)
        for number in 0..<3 { _ = try await ask(number) }
        try limitFiles(to: 0)
        if (try? await client.removeAll()) != nil { throw Fault(what: "it claims to be cleared") }
        for number in 0..<3 where try await ask(number) { throw Fault(what: "\(number) is still found") }
        try HTTPCacheWriter.tellStep()

        try limitFiles(to: nil)
        try await client.removeAll()
        for isStored in [false, true] {
            for number in 0..<3 where try await ask(number) != isStored {
                throw Fault(what: "\(number) is \(isStored ? "not " : "")found")
            }
        }
        guard losses.all.isEmpty else {
            throw Fault(what: "it reports as lost what it cleared: \(losses.all)")
        }
        try HTTPCacheWriter.tellStep()
    }

    private func ask(_ number: Int) async throws -> Bool {
        try await NumberedOrigin.ask(number, through: client)
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

/// A clock that is a minute behind until it is set to the right time.
private final class Time: Sendable {
    private let date = Mutex(Date() - 60)

    var now: Date { date.withLock { $0 } }

    func pass(_ seconds: Double) { date.withLock { $0 += seconds } }
}

/// Records the losses of a store.
private final class Losses: Sendable {
    private let log = Mutex<[SQLiteStoreLoss]>([])

    var all: [SQLiteStoreLoss] { log.withLock(\.self) }

    func add(_ loss: SQLiteStoreLoss) { log.withLock { $0.append(loss) } }
}

/// Records the reports of a cache in the words of the tests.
private final class Reports: Sendable {
    private let log = Mutex<[String]>([])

    var lines: [String] { log.withLock { $0 } }

    @Sendable func add(_ report: HTTPCacheReport) {
        let line =
            switch report {
            case .storeFailed(let action, _): "\(action) failed"
            case .storeWorks(let action): "\(action) works"
            default: "\(report)"
            }
        log.withLock { $0.append(line) }
    }
}
