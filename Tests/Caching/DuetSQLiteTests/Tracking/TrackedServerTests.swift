import Duet
import DuetCaching
import DuetContext
import DuetHTTP
import DuetSQLite
import DuetTesting
import GRDB
import HTTPTypes
import TestSupport
import Testing

/// Tests of the fields that say what queries have read and commands have written.
@Suite(.timeLimit(.minutes(5)))
struct TrackedServerTests {
    private let service: TrackedService
    private let rename = #"{"title":"Trio"}"#

    init() throws {
        service = try TrackedService()
    }

    @Test func `a command names a group of each query that has read what it has written`() async throws {
        let title = try #require(try await service.send(.get, "/talks/1/title").groups)
        let seats = try #require(try await service.send(.get, "/rooms/1/seats").groups)
        let found = try #require(try await service.send(.post, "/searches", [:], #"{"title":"Duet"}"#).groups)
        let written = try #require(try await service.send(.put, "/talks/1/title", [:], rename).invalidated)
        #expect(title.contains("*") && seats.contains("*") && !written.contains("*"))
        #expect(!Set(title).isDisjoint(with: written))
        #expect(!Set(found).isDisjoint(with: written))
        #expect(Set(seats).isDisjoint(with: written))
        // Twelve characters of the digest, and three of that of the key.
        #expect(title.allSatisfy { $0 == "*" || $0.count == 16 })
        #expect(Set((title + written).filter { $0 != "*" }.map { $0.suffix(4) }).count == 1)
    }

    @Test func `a response without content and a problem are in groups`() async throws {
        let first = try await service.send(.get, "/talks/1/title")
        let tag = try #require(first.headerFields[.eTag])
        let known = try await service.send(.get, "/talks/1/title", [.ifNoneMatch: tag])
        #expect(known.status == .notModified)
        #expect(known.groups == first.groups)
        let missing = try await service.send(.get, "/talks/9/title")
        #expect(missing.status == .notFound)
        #expect(missing.groups == first.groups)
    }

    @Test func `the response to an answered command has both fields`() async throws {
        let title = try await service.send(.get, "/talks/1/title")
        let response = try await service.send(.post, "/talks/1/titles", [:], rename)
        #expect(response.status == .ok)
        #expect(response.groups == title.groups)
        #expect(response.invalidated != nil)
        let minimal = try await service.send(.post, "/talks/1/titles", [.known("Prefer"): "return=minimal"], rename)
        #expect(minimal.groups == nil)
        #expect(minimal.invalidated != nil)
    }

    @Test func `a command that has written nothing, failed or was refused has the field, too`() async throws {
        let groups = try #require(try await service.send(.get, "/rooms/1/seats").groups)
        let greeting = try await service.send(.post, "/greetings", [:], "{}")
        #expect(greeting.status == .noContent)
        #expect(try #require(greeting.invalidated).count == 1)
        #expect(Set(greeting.invalidated ?? []).isDisjoint(with: groups))
        let refused = try await service.send(.put, "/talks/1/title", [:], "{")
        #expect(refused.status == .badRequest)
        #expect(refused.invalidated == greeting.invalidated)
        for error in [NoTalk(), CancellationError()] as [any Error] {
            service.handlers.stub(Rename.self) { [service] _ in
                try await service.world.database.write { try $0.execute(sql: "UPDATE room SET seats = seats + 1") }
                throw error
            }
            let failed = try await service.send(.put, "/talks/1/title", [:], rename)
            #expect(failed.status.kind != .successful)
            #expect(!Set(groups).isDisjoint(with: try #require(failed.invalidated)))
        }
    }

    @Test func `a command that may be a repeat and writes nothing names everything`() async throws {
        _ = try await service.send(.get, "/rooms/1/seats")
        service.handlers.stub(Greet.self) { _ in _ = IdempotencyKey.current(for: Greet.self) }
        #expect(try await service.send(.post, "/greetings", [:], "{}").invalidated == ["*"])
        service.handlers.stub(Greet.self) { _ in }
        #expect(try await service.send(.post, "/greetings", [:], "{}").invalidated != ["*"])
        let repeated = try await service.send(.post, "/greetings", [.known("Idempotency-Key"): "1"], "{}")
        #expect(repeated.invalidated == ["*"])
    }

    @Test func `a value in no group loses the groups of a stored response`() async throws {
        let first = try await service.send(.get, "/talks/1/title")
        service.handlers.stub(LoadTitle.self) { _ in "Duet" }
        let tag = try #require(first.headerFields[.eTag])
        let known = try await service.send(.get, "/talks/1/title", [.ifNoneMatch: tag])
        #expect(known.status == .notModified)
        #expect(known.groups == ["*"])
    }

    @Test func `a command names what its detached tasks have written, and a query what they have read`() async throws {
        let seats = try #require(try await service.send(.get, "/rooms/1/seats").groups)
        service.handlers.stub(Greet.self) { [service] _ in
            try await Task.detached {
                try await service.world.pool.write { try $0.execute(sql: "UPDATE room SET seats = seats + 1") }
            }
            .value
        }
        let written = try #require(try await service.send(.post, "/greetings", [:], "{}").invalidated)
        #expect(!Set(seats).isDisjoint(with: written))
        service.handlers.stub(LoadTitle.self) { [service] _ in
            let first = try await service.world.database.read { try String.fetchOne($0, sql: "SELECT title FROM talk") }
            let second = try await Task.detached {
                try await service.world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") }
            }
            .value
            return "\(first ?? "") \(second ?? 0)"
        }
        let title = try #require(try await service.send(.get, "/talks/1/title").groups)
        #expect(!Set(title).isDisjoint(with: written))
    }

    @Test func `a value from something that nobody tracks is in no group`() async throws {
        service.handlers.stub(LoadSeats.self) { [service] _ in
            CacheLoad.current?.readUntracked("rates")
            return try await service.world.database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") ?? 0 }
        }
        #expect(try await service.send(.get, "/rooms/1/seats").groups == nil)
        service.handlers.stub(LoadSeats.self) { _ in 7 }
        #expect(try await service.send(.get, "/rooms/1/seats").groups == nil)
        // It writes what it reads.
        service.handlers.stub(LoadSeats.self) { [service] _ in
            try await service.world.database.write { db in
                try db.execute(sql: "UPDATE room SET seats = seats + 1")
                return try Int.fetchOne(db, sql: "SELECT seats FROM room") ?? 0
            }
        }
        #expect(try await service.send(.get, "/rooms/1/seats").groups == nil)
    }

    @Test func `a reader of much names its tables, and a writer of much everything`() async throws {
        let columns = (0..<40).map { "c\($0)" }
        try await service.world.pool.write { db in
            try db.execute(sql: "CREATE TABLE wide (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
            for table in 0..<40 { try db.execute(sql: "CREATE TABLE t\(table) (a)") }
        }
        func groups(reading sql: String) async throws -> [String]? {
            service.handlers.stub(LoadSeats.self) { [service] _ in
                try await service.world.database.read { db in try TrackedWorld.rows(sql, in: db).count }
            }
            return try await service.send(.get, "/rooms/1/seats").groups
        }
        func written(_ sql: String) async throws -> [String]? {
            service.handlers.stub(Greet.self) { [service] _ in
                try await service.world.database.write { try $0.execute(sql: sql) }
            }
            return try await service.send(.post, "/greetings", [:], "{}").invalidated
        }
        let wide = try #require(try await groups(reading: "SELECT * FROM wide"))
        #expect(wide.count == 2)
        let one = try #require(try await written("INSERT INTO wide (id) VALUES (1)"))
        #expect(!Set(wide).isDisjoint(with: one))
        let update = "UPDATE wide SET \(columns.map { "\($0) = 1" }.joined(separator: ", "))"
        #expect(try await written(update) == ["*"])
        let many = (0..<40).map { "t\($0)" }
        #expect(try await groups(reading: "SELECT 1 FROM \(many.prefix(31).joined(separator: ", "))")?.count == 32)
        #expect(try await groups(reading: "SELECT 1 FROM \(many.prefix(32).joined(separator: ", "))") == nil)
        #expect(try await written("ALTER TABLE wide ADD COLUMN d") == ["*"])
    }

    @Test func `a server that tracks nothing says nothing`() async throws {
        service.handlers.stub(Greet.self) { _ in _ = IdempotencyKey.current(for: Greet.self) }
        let response = try await service.send(.post, "/greetings", [.known("Idempotency-Key"): "1"], "{}")
        #expect(response.status == .noContent)
        #expect(response.invalidated == nil)
    }

    @Test func `names depend on the key and on nothing else`() async throws {
        let groups = try await service.send(.get, "/talks/1/title").groups
        #expect(try await TrackedService().send(.get, "/talks/1/title").groups == groups)
        let other = try #require(try await TrackedService(groupKey: "secret").send(.get, "/talks/1/title").groups)
        #expect(Set(other).intersection(groups ?? []) == ["*"])
    }

    @Test func `a value of the server's cache is in the groups of its load`() async throws {
        let cached = try TrackedService { world in
            try world.handlers.caching(in: .memory(limit: .entries(9)), tracking: world.database) {
                Cache(LoadSeats.self)
            }
        }
        let first = try await cached.send(.get, "/rooms/1/seats").groups
        #expect(first != nil)
        #expect(try await cached.send(.get, "/rooms/1/seats").groups == first)
        #expect(cached.handlers.messages.count == 1)
    }
}
