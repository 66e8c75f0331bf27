import DuetContext
import DuetDependencies
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

/// The changes of one dispatch, with the idempotency key of its command.
@Suite struct UnitOfWorkTests {
    private let backend: TestBackend
    private let command = RemoveImage(id: .number(1))

    init() async throws {
        backend = try await TestBackend()
    }

    /// Adds a change in a scope, as a collaborator of a handler does.
    private func insert(_ name: String, in scope: Scope) async throws {
        let work: UnitOfWork = try await scope.resolve()
        work.add { db in
            try db.execute(
                sql: "INSERT INTO token (hash, name, scopes, created_at) VALUES (?, ?, '', 0)",
                arguments: [name, name]
            )
        }
    }

    private func stored() async throws -> (names: [String], keys: [String]) {
        try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).read { db in
            (
                try String.fetchAll(db, sql: "SELECT name FROM token ORDER BY name"),
                try String.fetchAll(db, sql: "SELECT key FROM handled_command ORDER BY key")
            )
        }
    }

    @Test func `everything in one scope shares one unit of work, and other scopes have their own`() async throws {
        let (first, second): (UnitOfWork, UnitOfWork) = try await backend.container.withScope { scope in
            (try await scope.resolve(), try await scope.resolve())
        }
        let other: UnitOfWork = try await backend.container.withScope { try await $0.resolve() }
        #expect(first === second)
        #expect(first !== other)
    }

    @Test func `the changes of several collaborators and the idempotency key are stored together`() async throws {
        try await backend.container.withScope { scope in
            try await insert("a", in: scope)
            try await insert("b", in: scope)
            let work: UnitOfWork = try await scope.resolve()
            try await withIdempotencyKey("key") { try await work.commit(command) }
        }
        let (names, keys) = try await stored()
        #expect(names == ["a", "b"])
        #expect(keys == ["key"])
    }

    @Test(arguments: [["a", "a"], ["a", "b", "a"]])
    func `if one change fails, neither the others nor the key are stored`(names: [String]) async throws {
        try await backend.container.withScope { scope in
            for name in names { try await insert(name, in: scope) }
            let work: UnitOfWork = try await scope.resolve()
            await #expect(throws: DatabaseError.self) {
                try await withIdempotencyKey("key") { try await work.commit(command) }
            }
            // The changes were dropped, so they are not made by the next commit either.
            try await work.commit()
        }
        let (stored, keys) = try await stored()
        #expect(stored == [])
        #expect(keys == [])
    }

    @Test func `a repeated key makes no change of the unit`() async throws {
        for name in ["a", "b"] {
            try await backend.container.withScope { scope in
                try await insert(name, in: scope)
                let work: UnitOfWork = try await scope.resolve()
                try await withIdempotencyKey("key") { try await work.commit(command) }
            }
        }
        #expect(try await stored().names == ["a"])
    }

    @Test func `changes that are not committed disappear with the scope`() async throws {
        try await backend.container.withScope { try await insert("a", in: $0) }
        try await backend.container.withScope { scope in
            let work: UnitOfWork = try await scope.resolve()
            try await work.commit()
        }
        #expect(try await stored().names == [])
    }
}
