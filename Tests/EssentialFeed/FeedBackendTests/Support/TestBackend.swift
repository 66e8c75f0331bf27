import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedAPI
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Hummingbird
import HummingbirdTesting
import Logging

/// A backend with a new database file and a fixed clock.
struct TestBackend: Sendable {
    static let now = Date(timeIntervalSince1970: 1_772_000_000.25)

    let folder: TemporaryDirectory
    let database: FeedDatabase
    let container: Container

    init(comments: ClientQuota = ClientQuota(300, per: .seconds(60))) async throws {
        folder = try TemporaryDirectory()
        database = try await FeedDatabase(path: folder.path("feed.sqlite"))
        container = try .backend(on: database, comments: comments) { Self.now }
    }

    /// Creates the container of a backend with a database file.
    static func container(_ path: String) async throws -> Container {
        try await .backend(on: FeedDatabase(path: path))
    }

    var backend: FeedBackend { FeedBackend(container: container) }

    var dispatcher: any Dispatcher {
        get async throws { try await container.dispatcher }
    }

    /// Sends a message of the list in this process, as a publisher does.
    func send<M: Message>(_ message: M) async throws -> M.Value {
        try await withPrincipal(Principal(id: "test", scopes: ["publish"])) {
            try await dispatcher.authorizing(.feed).dispatch(message)
        }
    }

    func test<Value>(
        _ world: TestingSetup = .router,
        host: String = "127.0.0.1",
        publicURL: URL? = nil,
        closedComments: Bool = false,
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await keepTestToken()
        return
            try await backend
            .application(host: host, publicURL: publicURL, closedComments: closedComments, logger: .silent)
            .test(world, body)
    }

    /// Stores the token that the tests send.
    func keepTestToken() async throws {
        guard try await dispatcher.dispatch(LoadTokenHolder(hash: AccessToken.test.hash)) == nil else { return }
        try await dispatcher.dispatch(KeepToken(.test, name: "test", permissions: [.publish]))
    }

    func seedSamples() async throws {
        try await FeedSeeder(database: database) { Self.now }.seed(from: FeedSeeder.samples)
    }

    /// Publishes images with the numbers as ids; the last one is the newest.
    func publish(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            try await dispatcher.dispatch(PublishImage(id: .number(number), description: "\(number)", data: .tinyImage))
        }
    }

    func page(after: UUID? = nil, limit: Int = 10) async throws -> [UUID] {
        try await dispatcher.dispatch(LoadFeed(after: after, limit: limit)).images.map(\.id)
    }

    func comments(on image: UUID) async throws -> [ImageComment] {
        try await dispatcher.dispatch(LoadImageComments(imageID: image, limit: nil)).comments
    }

    /// Returns the number of rows of all tables, read directly from the file.
    func rows() async throws -> Int {
        try await DatabaseQueue(path: folder.path("feed.sqlite")).read { db in
            let tables = ["image", "image_bytes", "comment", "removed_image", "removed_comment"]
            return try tables.reduce(0) { try $0 + (Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($1)") ?? 0) }
        }
    }
}

extension Container {
    /// Creates the container of a backend with an open database.
    static func backend(on database: FeedDatabase, now: Date = TestBackend.now) throws -> Container {
        try backend(on: database) { now }
    }

    /// Creates the container of a backend with an open database and a moving clock.
    static func backend(
        on database: FeedDatabase,
        comments: ClientQuota = ClientQuota(300, per: .seconds(60)),
        now: @escaping @Sendable () -> Date
    ) throws -> Container {
        let builder = ContainerBuilder()
        builder.install(BackendModule(database: "", comments: comments))
        builder.replacing.singleton { database }
        builder.singleton { CurrentDate(now) }
        builder.singleton { Logger.silent }
        return try builder.build()
    }

    var dispatcher: any Dispatcher {
        get async throws { try await resolve() }
    }
}

extension AccessToken {
    /// The token of the tests, with the publish permission.
    static let test = AccessToken(seed: 20)

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.init(using: &generator)
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension UUID {
    static func number(_ number: Int) -> UUID {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        return UUID(uuidString: text) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

extension Data {
    static func sample(_ name: String) throws -> Data {
        try Data(contentsOf: FeedSeeder.samples.appending(path: name))
    }
}
