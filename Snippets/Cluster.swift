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

struct LoadTalkHandler: QueryHandler {
    let database: DatabaseQueue

    func handle(_ query: LoadTalk) async throws -> Int {
        try await database.read { db in
            guard let stars = try Int.fetchOne(db, sql: "SELECT stars FROM talk WHERE id = ?", arguments: [query.id])
            else { throw NoSuchTalk(id: query.id) }
            return stars
        }
    }
}

struct RateTalkHandler: CommandHandler {
    let database: DatabaseQueue
    let inbox: SQLiteCommandInbox

    // snippet.inbox
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
    // snippet.end
}

let database = try DatabaseQueue()
// snippet.migration
try await database.write { db in
    try db.execute(sql: "CREATE TABLE talk (id TEXT PRIMARY KEY, stars INTEGER NOT NULL)")
    try SQLiteCommandInbox.createTable(in: db)
    try SQLiteCommandOutbox.createTable(in: db)
}
// snippet.end
try await database.write { try $0.execute(sql: "INSERT INTO talk VALUES ('swift', 0)") }

// snippet.local
let local = try StandardDispatcher {
    LoadTalkHandler(database: database)
    RateTalkHandler(database: database, inbox: SQLiteCommandInbox())
}
// snippet.end

func rate(_ talks: any Dispatcher) async throws {
    // snippet.rate
    try await talks.dispatch(RateTalk(id: "swift", stars: 5))
    let stars = try await talks.dispatch(LoadTalk(id: "swift"))
    // snippet.end
    print(stars)
}

// snippet.list
enum Talks {
    @ListBuilder<ClusterMessage> static var messages: [ClusterMessage] {
        LoadTalk.self
        RateTalk.ordered(by: \.id)
    }
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
    try await cluster.serve(local) {
        LoadTalk.self
        RateTalk.ordered(by: \.id)
    }
    // snippet.end
}

// snippet.remote
let remote = cluster.dispatcher {
    LoadTalk.self
    RateTalk.ordered(by: \.id)
}
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
    let invalidation = cluster.invalidation(of: cached.cache) { Talks.messages }
    // snippet.end
    let connection = Task { try await invalidation.run() }
    try await rate(cached)
    connection.cancel()
    try await connection.value
}

func share() async throws {
    // snippet.shared
    let shared = ClusterCacheStore(cluster)
    let cached = try remote.caching(in: .memory(limit: .entries(1_000)).backed(by: shared)) {
        Cache(LoadTalk.self, .maxAge(.minutes(5))).stored(version: 1)
        Invalidate(LoadTalk.self, after: RateTalk.self) { query, command in query.id == command.id }
    }
    let invalidation = cluster.invalidation(of: cached.cache) { Talks.messages }
    // snippet.end
    let connection = Task { try await invalidation.run() }
    try await rate(cached)
    connection.cancel()
    try await connection.value
}

func outbox() async throws {
    // snippet.outbox
    let outbox = try SQLiteCommandOutbox(database) { RateTalk.ordered(by: \.id) }
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
    for letter in try await cluster.commands.deadLetters.list(limit: 20) {
        print("\(letter.id) \(letter.command.message): \(letter.reason)")
        try await cluster.commands.deadLetters.retry(letter.id, body: nil)
    }
    // snippet.end
}

try await rate(local)
let worker = Task { try await serve() }
try await rate(remote)
try await accept(remote)
try await readOwnWrites()
try await cache()
try await share()
try await outbox()
try await listDeadLetters()
worker.cancel()
try await worker.value
