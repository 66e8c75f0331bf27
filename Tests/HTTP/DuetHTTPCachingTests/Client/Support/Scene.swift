import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

/// A cache in front of a scripted origin, at a time that a test sets.
struct Scene: Sendable {
    final class Time: Sendable {
        private let date = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

        func pass(_ seconds: Double) { date.withLock { $0 += seconds } }
        func set(_ date: Date) { self.date.withLock { $0 = date } }
        var now: Date { date.withLock { $0 } }
    }

    final class Reports: Sendable {
        private let log = Mutex<[String]>([])

        func add(_ report: HTTPCacheReport) {
            let line =
                switch report {
                case .storeFailed(let action, _): "\(action) failed"
                case .storeWorks(let action): "\(action) works"
                case .credentialsHidden(let layer): "hidden by \(layer)"
                @unknown default: "\(report)"
                }
            log.withLock { $0.append(line) }
        }

        var lines: [String] { log.withLock { $0 } }
    }

    let time = Time()
    let reports = Reports()
    let origin: ScriptedOrigin
    let client: CachingHTTPClient

    init(
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        configuration: CachingHTTPClient.Configuration = .init(),
        through decorate: (ScriptedOrigin) -> any HTTPClient = { $0 },
        _ script: @escaping ScriptedOrigin.Script
    ) {
        origin = ScriptedOrigin(script)
        var configuration = configuration
        configuration.now = { [time] in time.now }
        // On a busy machine, requests take longer than the limits.
        if configuration.clock is ContinuousClock { configuration.clock = ManualClock() }
        client = decorate(origin).caching(
            in: store,
            policy: policy,
            configuration: configuration,
            report: { [reports] in reports.add($0) }
        )
    }

    /// Sends a request and reads the whole body.
    func send(_ request: HTTPRequest = ask(), body: String? = nil) async throws -> Answer {
        let (response, body) = try await client.send(request, body: body.map { HTTPBody($0.data) })
        return Answer(response: response, body: try await body.text())
    }

    /// Sends a request as a client that needs the whole body at once.
    func collect(_ request: HTTPRequest = ask()) async throws -> Answer {
        let (response, data) = try await client.data(for: request)
        return Answer(response: response, body: String(decoding: data, as: UTF8.self))
    }
}

/// A response with its whole body.
struct Answer: Sendable {
    let response: HTTPResponse
    let body: String

    var code: Int { response.status.code }
    var status: CacheStatus? { response.cacheStatus }
    var isHit: Bool { status?.hit == true }
    var line: String { response.headerFields[.cacheStatus] ?? "" }
}
