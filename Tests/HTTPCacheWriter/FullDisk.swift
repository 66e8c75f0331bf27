import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

/// Requests through a cache on a full disk, which for one process the system makes of any: no file may get longer.
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

    init(path: String, limit: Int) throws {
        self.path = path
        reports = Reports()
        time = Time()
        client = NumberedOrigin().caching(
            in: try SQLiteHTTPCacheStore(path: path, onLoss: { [losses] in losses.add($0) }),
            configuration: CachingHTTPClient.Configuration(now: { [time] in time.now }),
            report: reports.add
        )
        self.limit = limit
    }

    /// One step when it has gone on without room, another one when it works again.
    func run() async throws {
        // By default the system ends a process that writes more than it may.
        signal(SIGXFSZ, SIG_IGN)
        for number in 0..<3 { _ = try await ask(number) }

        try limitFiles(to: rlim_t(limit))
        for round in 0..<3 {
            for number in 10..<40 { _ = try await ask(number) }
            for number in 0..<3 where try await !ask(number) {
                throw Fault(what: "\(number) was stored before, and is not found in round \(round)")
            }
        }
        guard reports.lines == ["write failed"] else { throw Fault(what: "told: \(reports.lines)") }
        try HTTPCacheWriter.tellStep()

        try limitFiles(to: nil)
        time.pass(60)
        for number in 50..<60 { _ = try await ask(number) }
        for number in 50..<60 where try await !ask(number) { throw Fault(what: "\(number) is not stored") }
        let lines = reports.lines
        guard lines == ["write failed", "write works"] else { throw Fault(what: "told: \(lines)") }
        try HTTPCacheWriter.tellStep()
    }

    /// A step when nothing is left of what was stored, though nothing could be written, and another one when it works again.
    func clear() async throws {
        signal(SIGXFSZ, SIG_IGN)
        for number in 0..<3 { _ = try await ask(number) }
        try limitFiles(to: 0)
        // It cannot make a new file, and says so.
        if (try? await client.removeAll()) != nil { throw Fault(what: "it says that it goes on with a new file") }
        for suffix in ["", "-wal"] {
            let size = try? FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int
            guard size ?? 0 == 0 else { throw Fault(what: "\(size ?? 0) bytes are left in \(path)\(suffix)") }
        }
        try HTTPCacheWriter.tellStep()

        try limitFiles(to: nil)
        for isStored in [false, true] {
            for number in 0..<3 where try await ask(number) != isStored {
                throw Fault(what: "\(number) is \(isStored ? "not " : "")found")
            }
        }
        guard losses.all.isEmpty else { throw Fault(what: "it says that it lost what it cleared: \(losses.all)") }
        try HTTPCacheWriter.tellStep()
    }

    /// Asks for a body, which has to be right wherever it comes from; whether it came from the cache.
    private func ask(_ number: Int) async throws -> Bool {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
        let (response, body) = try await client.send(request, body: nil)
        let bytes = try await body.collect(upTo: .max, orThrow: Fault(what: "endless"))
        guard bytes == NumberedOrigin.body(number) else {
            throw Fault(what: "\(number) has \(bytes.count) bytes, and not its own")
        }
        return response.cacheStatus?.hit == true
    }

    /// Nil for as long as they like.
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

/// What the store says that it lost.
private final class Losses: Sendable {
    private let log = Mutex<[SQLiteHTTPCacheLoss]>([])

    var all: [SQLiteHTTPCacheLoss] { log.withLock(\.self) }

    func add(_ loss: SQLiteHTTPCacheLoss) { log.withLock { $0.append(loss) } }
}

/// What the cache says, in the words of the tests.
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
