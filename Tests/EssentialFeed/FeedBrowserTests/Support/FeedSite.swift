import Duet
import DuetDependencies
import DuetTesting
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import FeedWeb
import Foundation
import InMemoryLogging
import Logging
import ServiceLifecycle
import TestSupport
import Testing

/// The whole application: a page server and its backend, with real sockets and databases, and a date that only tests
/// change.
struct FeedSite: Sendable {
    /// The date of both servers and of the scripts in the browser: soon after the newest comment of the samples.
    let clock = TestDate(Date(timeIntervalSince1970: 1_770_033_600))
    let backend: RestartableServer
    let page: RestartableServer
    let directory: TemporaryDirectory

    /// The log of the page server, for the report of a failure.
    let log: InMemoryLogHandler

    private let database: URL

    /// Creates the servers without starting them; the backend is filled with `seed` at its first start.
    ///
    /// - Parameter inspects: Whether the page server has the page for developers.
    init(seed: BackendOptions.Seed = .samples, inspects: Bool = false) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        database = directory.appending("backend.sqlite")
        let options = BackendOptions(database: database, seed: seed)
        var log = InMemoryLogHandler()
        log.logLevel = .debug
        self.log = log
        let logger = Logger(label: "page") { [log] _ in log }
        let environment = FeedComposition.Environment(now: clock.now, calendar: .utc, logger: .silent)
        let pageEnvironment = FeedComposition.Environment(now: clock.now, calendar: .utc, logger: logger)
        let backend = try RestartableServer { port, onListening in
            let container = try Container.backend(options, environment: environment)
            if let folder = seed.folder { try await container.resolve(FeedSeeder.self).seed(from: folder) }
            let server = try FeedBackend(container: container).application(
                port: port,
                onServerRunning: onListening,
                logger: .silent
            )
            return (container, [server])
        }
        self.backend = backend
        let cache = directory.appending("cache.sqlite")
        page = try RestartableServer { port, onListening in
            let client = ClientOptions(remote: backend.url, cache: cache)
            let container = try Container.page(client, environment: pageEnvironment, inspects: inspects, pageSize: 10) {
                Issue.record("\($0)")
            }
            let server = FeedWeb(container: container).application(
                host: "127.0.0.1",
                port: port,
                inspectToken: inspects ? "token" : nil,
                onServerRunning: onListening,
                logger: .silent
            )
            let forgetting = ClosureService {
                await cancelWhenGracefulShutdown { await FeedWeb(container: container).forgetRemovedImages() }
                try? await gracefulShutdown()
            }
            return (container, [forgetting, server])
        }
    }

    /// Stops both servers.
    ///
    /// - Throws: The error of a server.
    func stop() async throws {
        try await page.stop()
        try await backend.stop()
    }

    /// Returns the address of a page of this site.
    func address(_ path: String = "") -> URL {
        URL(string: page.url.absoluteString + path) ?? page.url
    }

    /// Returns a new token that permits everything.
    ///
    /// - Throws: The database's own error.
    func token() async throws -> String {
        let environment = FeedComposition.Environment(now: clock.now, logger: .silent)
        return try await FeedTokens(database: database, environment: environment)
            .issue(permitting: [.publish, .moderate, .comment]).token.text
    }

    /// Publishes an image as somebody else does, without this site's page server.
    ///
    /// - Returns: The image's id.
    /// - Throws: The backend's error.
    @discardableResult
    func publishElsewhere(_ description: String?, _ number: Int = 1) async throws -> UUID {
        let bytes = try Data(contentsOf: FeedSeeder.samples.appending(path: "clock.jpg"))
        let id = UUID.fixture(number)
        try await send(PublishImage(id: id, description: description, data: bytes))
        return id
    }

    /// Makes the versions of the published images.
    ///
    /// - Throws: The database's own error, or that of the resizer.
    func makeVersions() async throws {
        let environment = FeedComposition.Environment(now: clock.now, logger: .silent)
        let container = try Container.backend(BackendOptions(database: database), environment: environment)
        let maker = VersionMaker(
            try await container.resolve(),
            try await VipsImageResizer(),
            try await container.resolve((any Dispatcher).self),
            now: CurrentDate(clock.now),
            logger: .silent
        )
        try await maker.makeAll()
        await container.dispose()
    }

    /// Sends a command to the backend as somebody else does.
    ///
    /// - Throws: The backend's error.
    func send(_ command: some Command) async throws {
        let options = ClientOptions(remote: backend.url, cache: nil, credentials: Credentials(token: try await token()))
        let environment = FeedComposition.Environment(now: clock.now, logger: .silent)
        try await FeedClient.withDispatcher(options, environment: environment) {
            Issue.record("\($0)")
        } body: {
            try await $0.dispatch(command)
        }
    }
}

extension BackendOptions.Seed {
    fileprivate var folder: URL? {
        switch self {
        case .samples: FeedSeeder.samples
        case .folder(let folder): folder
        case .nothing: nil
        }
    }
}

extension Logger {
    /// A logger that writes nothing, because failures are part of the tests.
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Calendar {
    /// A calendar that is the same on every machine.
    static var utc: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }
}
