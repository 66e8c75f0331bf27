//! From one process to a cluster: the same messages and handlers, and one line that changes.

// snippet.messages
import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetNATS
import DuetSQLite
import Foundation
import GRDB
import Logging
import ServiceLifecycle

struct LoadTalk: Query, Codable, Hashable {
    typealias Value = Int

    let id: String
}

struct RateTalk: Command, Codable {
    static var declaredErrors: [any DeclaredError.Type] { [NoSuchTalk.self] }

    let id: String
    let stars: Int
}

struct NoSuchTalk: DeclaredError, Equatable {
    let id: String
}
// snippet.end

// snippet.handlers
struct LoadTalkHandler: QueryHandler {
    let database: DatabasePool

    func handle(_ query: LoadTalk) async throws -> Int {
        try await database.read { db in
            guard let stars = try Int.fetchOne(db, sql: "SELECT stars FROM talk WHERE id = ?", arguments: [query.id])
            else { throw NoSuchTalk(id: query.id) }
            return stars
        }
    }
}

struct RateTalkHandler: CommandHandler {
    let database: DatabasePool
    let inbox = SQLiteCommandInbox()

    func handle(_ command: RateTalk) async throws {
        let id = IdempotencyKey.current(for: RateTalk.self)
        try await database.write { db in
            guard try inbox.claim(id, in: db) else { return }
            try db.execute(
                sql: "UPDATE talk SET stars = stars + ? WHERE id = ?",
                arguments: [command.stars, command.id]
            )
            guard db.changesCount > 0 else { throw NoSuchTalk(id: command.id) }
        }
    }
}
// snippet.end

let path = FileManager.default.temporaryDirectory.appending(path: "talks-\(UUID().uuidString).sqlite").path
// snippet.database
var configuration = Configuration()
// Several processes use the file: each waits while another one writes.
configuration.busyMode = .timeout(10)
let database = try DatabasePool(path: path, configuration: configuration)

var migrator = DatabaseMigrator()
migrator.registerMigration("talks") { db in
    try db.execute(sql: "CREATE TABLE talk (id TEXT PRIMARY KEY, stars INTEGER NOT NULL)")
    try db.execute(sql: "INSERT INTO talk VALUES ('swift', 0)")
    try SQLiteCommandInbox.createTable(in: db)
    try SQLiteCommandOutbox.createTable(in: db)
}
try migrator.migrate(database)
// snippet.end

// snippet.local
let local = try StandardDispatcher {
    LoadTalkHandler(database: database)
    RateTalkHandler(database: database)
}
.logging { event in if let error = event.error { print("\(event.message): \(error)") } }
// snippet.end

func rate(_ dispatcher: any Dispatcher) async throws {
    // snippet.rate
    try await dispatcher.dispatch(RateTalk(id: "swift", stars: 5))
    let stars = try await dispatcher.dispatch(LoadTalk(id: "swift"))
    // snippet.end
    print(stars)
}

// snippet.list
let talks = MessageAPI("talks", authorized: .open) {
    LoadTalk.self
    RateTalk.ordered(by: \.id)
}
// snippet.end

// snippet.engine
let cluster = InProcessCluster()
// snippet.end

func connect() async throws -> any ClusterEngine {
    // snippet.nats
    let cluster = try await NATSCluster.connect(to: ["nats://127.0.0.1:4222"], name: "talks")
    // snippet.end
    return cluster
}

func connectSecurely() async throws -> any ClusterEngine {
    // snippet.access
    var options = NATSOptions()
    options.credentials = .file("/etc/talks/nats.creds")
    options.tls = NATSTLS(authorities: "/etc/talks/authorities.pem")
    let cluster = try await NATSCluster.connect(
        to: ["tls://a.example.org:4222", "tls://b.example.org:4222"],
        name: "talks",
        options: options
    )
    // snippet.end
    return cluster
}

func serve() async throws {
    // snippet.serve
    try await ClusterWorker(talks, local, on: cluster).run()
    // snippet.end
}

func runServices() async throws {
    // snippet.service
    let services = ServiceGroup(
        services: [try ClusterWorker(talks, local, on: cluster)],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "talks")
    )
    try await services.run()
    // snippet.end
}

// snippet.remote
let remote = try ClusterDispatcher(talks, on: cluster)
// snippet.end

func accept(_ remote: ClusterDispatcher) async throws {
    // snippet.accepting
    try await remote.accepting.dispatch(RateTalk(id: "swift", stars: 4))
    // snippet.end
}

func readOwnWrites() async throws {
    // snippet.token
    let token = WriteToken()
    try await withWriteToken(token) {
        try await remote.accepting.dispatch(RateTalk(id: "swift", stars: 3))
        print(try await remote.dispatch(LoadTalk(id: "swift")))
    }
    // snippet.end
}

func cache() async throws {
    // snippet.cache
    let cached = try remote.caching(in: .memory(limit: .entries(1_000))) {
        Cache(LoadTalk.self, .untilInvalidated)
        Invalidate(LoadTalk.self, after: RateTalk.self) { query, command in query.id == command.id }
    }
    let invalidation = try ClusterInvalidation(talks, of: cached.cache, on: cluster)
    // snippet.end
    let connection = Task { try await invalidation.run() }
    try await rate(cached)
    connection.cancel()
    try await connection.value
}

func outbox() async throws {
    // snippet.outbox
    let outbox = try SQLiteCommandOutbox(talks, in: database)
    let rating = try outbox.prepare(RateTalk(id: "duet", stars: 5))
    try await database.write { db in
        try db.execute(sql: "INSERT INTO talk VALUES ('duet', 0)")
        try outbox.insert(rating, in: db)
    }
    // snippet.end
    let sending = Task {
        // snippet.sending
        try await outbox.run(sendingTo: cluster)
        // snippet.end
    }
    while try await local.dispatch(LoadTalk(id: "duet")) == 0 { await Task.yield() }
    sending.cancel()
}

func listDeadLetters() async throws {
    // snippet.letters
    let deadLetters = cluster.commands.deadLetters
    for letter in try await deadLetters.list(limit: 20) {
        let body = String(decoding: letter.command.envelope.body, as: UTF8.self)
        print("\(letter.id) \(letter.command.message) \(body): \(letter.reason)")
    }
    // snippet.end
    for letter in try await deadLetters.list(limit: 20) { try await repair(letter.id) }
}

func repair(_ id: String) async throws {
    // snippet.repair
    // As it is, after its cause was removed:
    try await cluster.commands.deadLetters.retry(id, body: nil)
    // snippet.end
}

func correct(_ id: String) async throws {
    // snippet.correct
    // With another body:
    let body = try JSONEncoder().encode(RateTalk(id: "swift", stars: 5))
    try await cluster.commands.deadLetters.retry(id, body: body)
    // snippet.end
}

try await rate(local)
let worker = Task { try await serve() }
try await rate(remote)
try await accept(remote)
try await readOwnWrites()
try await cache()
try await outbox()
try await listDeadLetters()
worker.cancel()
try await worker.value
try database.close()
for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
