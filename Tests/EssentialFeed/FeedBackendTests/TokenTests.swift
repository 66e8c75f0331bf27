import Duet
import DuetContext
import DuetDependencies
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@testable import FeedBackend

/// Creating, storing, listing and revoking the backend's tokens.
@Suite(.serialized) struct TokenTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    private func keep(_ seed: UInt64, _ name: String?, _ permissions: Set<Permission> = [.publish]) async throws {
        try await backend.dispatcher.dispatch(KeepToken(AccessToken(seed: seed), name: name, permissions: permissions))
    }

    @Test func `a token is 256 bits after an identifying prefix`() throws {
        for seed in UInt64(0)..<200 {
            let text = AccessToken(seed: seed).text
            #expect(text.wholeMatch(of: /feed_[A-Za-z0-9_-]{43}/) != nil, "\(text), seed \(seed)")
            let digits = text.dropFirst(5).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            let bits = try #require(Data(base64Encoded: String(digits) + "="), "seed \(seed)")
            #expect(bits.count == 32)
        }
    }

    @Test func `tokens depend only on the generator`() {
        #expect(AccessToken(seed: 1) == AccessToken(seed: 1))
        #expect(Set((UInt64(0)..<1_000).map { AccessToken(seed: $0).text }).count == 1_000)
    }

    @Test func `a token does not appear in a log`() {
        #expect("\(AccessToken.test)" == "AccessToken")
        var dumped = ""
        dump([AccessToken.test], to: &dumped)
        #expect(!dumped.contains(AccessToken.test.text))
    }

    @Test func `a token's holder is found by its hash, with the permissions`() async throws {
        try await keep(1, "ann", [.publish, .comment])
        let holder = try await backend.dispatcher.dispatch(LoadTokenHolder(hash: AccessToken(seed: 1).hash))
        #expect(holder?.id == "ann")
        #expect(holder?.scopes == ["publish", "comment"])
        #expect(try await backend.dispatcher.dispatch(LoadTokenHolder(hash: AccessToken(seed: 2).hash)) == nil)
    }

    @Test func `the database stores a hash and no token`() async throws {
        try await keep(1, "ann")
        let token = AccessToken(seed: 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: backend.folder.url.path) {
            let file = try Data(contentsOf: backend.folder.url.appending(path: name))
            #expect(file.firstRange(of: Data(token.text.dropFirst(5).utf8)) == nil, "\(name)")
        }
        let hashes = try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).read { db in
            try String.fetchAll(db, sql: "SELECT hash FROM token")
        }
        #expect(hashes == [token.hash])
        #expect(token.hash.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    }

    @Test func `tokens are listed with name, permissions and date`() async throws {
        #expect(try await backend.dispatcher.dispatch(LoadTokens()) == [])
        try await keep(1, "bob", [.comment])
        try await keep(2, "ann", [.publish, .comment])
        let tokens = try await backend.dispatcher.dispatch(LoadTokens())
        #expect(tokens.map(\.name) == ["ann", "bob"])
        #expect(tokens.map(\.permissions) == [[.publish, .comment], [.comment]])
        #expect(tokens.map(\.createdAt) == [TestBackend.now, TestBackend.now])
    }

    @Test func `without a name a token is named after its hash`() async throws {
        try await keep(1, nil)
        let tokens = try await backend.dispatcher.dispatch(LoadTokens())
        #expect(tokens.map(\.name) == ["token-\(AccessToken(seed: 1).hash.prefix(8))"])
    }

    @Test func `two tokens cannot have one name`() async throws {
        try await keep(1, "ann")
        await #expect(throws: TokenError.nameTaken("ann")) { try await keep(2, "ann") }
        #expect(try await backend.dispatcher.dispatch(LoadTokenHolder(hash: AccessToken(seed: 2).hash)) == nil)
    }

    @Test func `a revoked token is unknown, and its name is free`() async throws {
        try await keep(1, "ann")
        try await keep(2, "bob")
        try await backend.dispatcher.dispatch(RevokeToken(name: "ann"))
        #expect(try await backend.dispatcher.dispatch(LoadTokens()).map(\.name) == ["bob"])
        #expect(try await backend.dispatcher.dispatch(LoadTokenHolder(hash: AccessToken(seed: 1).hash)) == nil)
        await #expect(throws: TokenError.notFound("ann")) {
            try await backend.dispatcher.dispatch(RevokeToken(name: "ann"))
        }
        try await keep(3, "ann")
    }

    @Test(arguments: [
        ("Ann", true), ("Ανν 👩\u{200D}🚀", true), (" ", false), (String(repeating: "x", count: 64), true),
        (String(repeating: "x", count: 65), false), ("a\0", false), ("ann\u{202E}nna", false),
        ("an\u{E0041}n", false),
    ])
    func `a display name shows all its characters`(name: String, isValid: Bool) async throws {
        let command = KeepToken(AccessToken(seed: 1), displayName: name, permissions: [.publish])
        if isValid {
            try await backend.dispatcher.dispatch(command)
        } else {
            await #expect(throws: TokenError.invalidDisplayName(name)) {
                try await backend.dispatcher.dispatch(command)
            }
        }
        #expect(try await backend.dispatcher.dispatch(LoadTokens()).map(\.displayName) == (isValid ? [name] : []))
    }

    @Test(arguments: [
        ("", false), ("a", true), (String(repeating: "x", count: 64), true), (String(repeating: "x", count: 65), false),
        ("Ann-2_b.c", true), ("ann b", false), ("é", false), ("a\u{1B}", false), ("a\n", false),
    ])
    func `a name can be typed and printed anywhere`(name: String, isValid: Bool) async throws {
        if isValid {
            try await keep(1, name)
        } else {
            await #expect(throws: TokenError.invalidName(name)) { try await keep(1, name) }
        }
        #expect(try await backend.dispatcher.dispatch(LoadTokens()).count == (isValid ? 1 : 0))
    }

    @Test func `a database without tokens is migrated with its content`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("feed.sqlite")
        let queue = try DatabaseQueue(path: path)
        try DatabaseMigrator.feed.migrate(queue, upTo: "1")
        try await queue.write { db in
            try db.execute(sql: "INSERT INTO image (id) VALUES (?)", arguments: [UUID.number(1)])
            try db.execute(sql: "PRAGMA application_id = \(0x4546_4264); PRAGMA user_version = 1")
        }
        try queue.close()

        let new = try await TestBackend.container(path)
        #expect(try await new.dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.number(1)])
        try await new.dispatcher.dispatch(KeepToken(.test, name: "ann", permissions: [.publish]))
        #expect(try await new.dispatcher.dispatch(LoadTokens()).map(\.name) == ["ann"])
    }
}
