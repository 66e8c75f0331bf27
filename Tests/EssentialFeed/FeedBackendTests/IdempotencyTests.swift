import Duet
import DuetContext
import DuetDependencies
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// Commands that arrive several times under one idempotency key.
@Suite(.serialized) struct IdempotencyTests {
    private static let day: TimeInterval = 24 * 60 * 60

    private let backend: TestBackend
    private let date = MovableDate()
    private let container: Container

    init() async throws {
        backend = try await TestBackend()
        container = try .backend(on: backend.database) { [date] in date.now }
        try await backend.publish(1...2)
    }

    private func comment(_ id: Int = 1, on image: Int = 1, _ message: String = "Hello") -> PostImageComment {
        PostImageComment(id: .number(id), imageID: .number(image), message: message, username: "me")
    }

    private func dispatch(_ command: any Command, key: String = "key", as sender: String? = nil) async throws {
        try await withPrincipal(sender.map { Principal(id: $0) }) {
            try await withIdempotencyKey(key) { try await container.dispatcher.dispatch(command) }
        }
    }

    private func keys() async throws -> [String] {
        try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).read { db in
            try String.fetchAll(db, sql: "SELECT key FROM handled_command ORDER BY key")
        }
    }

    // MARK: Repeats

    @Test func `a repeated command has no second effect`() async throws {
        let publication = PublishImage(id: .number(3), data: .tinyImage)
        for _ in 1...3 {
            try await dispatch(publication, key: "publish")
            try await dispatch(comment(), key: "comment")
        }
        #expect(try await backend.page() == .numbers(3, 2, 1))
        #expect(try await backend.comments(on: .number(1)).count == 1)
        for _ in 1...3 { try await dispatch(RemoveImage(id: .number(3)), key: "remove") }
        #expect(try await backend.page() == .numbers(2, 1))
        #expect(try await keys() == ["comment", "publish", "remove"])
    }

    @Test func `a late repeat succeeds like the first, although it could not be handled any more`() async throws {
        let publication = PublishImage(id: .number(3), data: .tinyImage)
        try await dispatch(publication, key: "publish")
        try await dispatch(comment(1, on: 3), key: "comment")
        try await backend.remove(3)
        try await dispatch(publication, key: "publish")
        try await dispatch(comment(1, on: 3), key: "comment")
        #expect(try await backend.page() == .numbers(2, 1))
        await #expect(throws: ImageRemoved(id: .number(3))) { try await dispatch(publication, key: "other") }
    }

    @Test func `the repeat of a comment that was removed is refused`() async throws {
        try await dispatch(comment(), key: "comment")
        try await dispatch(RemoveImageComment(imageID: .number(1), id: .number(1)), key: "remove")
        await #expect(throws: CommentRemoved(id: .number(1))) { try await dispatch(comment(), key: "comment") }
        #expect(try await backend.comments(on: .number(1)).isEmpty)
    }

    @Test func `concurrent repeats have one effect, and all succeed`() async throws {
        let commands: [any Command] = [
            comment(), PublishImage(id: .number(3), data: .image(ofSize: 10_000)), RemoveImage(id: .number(2)),
        ]
        // Two databases on one file, as two processes have them.
        let other = try await Container.backend(on: FeedDatabase(path: backend.folder.path("feed.sqlite")))
        try await withThrowingTaskGroup { group in
            for (index, command) in commands.enumerated() {
                for number in 0..<20 {
                    let container = number.isMultiple(of: 2) ? container : other
                    group.addTask {
                        try await withIdempotencyKey("\(index)") { try await container.dispatcher.dispatch(command) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await backend.page() == .numbers(3, 1))
        #expect(try await backend.comments(on: .number(1)).count == 1)
        #expect(try await keys() == ["0", "1", "2"])
    }

    @Test func `of concurrent commands with one key, one is handled and the others are refused`() async throws {
        let refusals = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                group.addTask {
                    do {
                        try await dispatch(comment(number, "Number \(number)"))
                        return false
                    } catch is IdempotencyKeyReused {
                        return true
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals == 19)
        #expect(try await backend.comments(on: .number(1)).count == 1)
    }

    @Test(arguments: [nil, "ada"])
    func `a key is stored only for a command with an effect`(_ sender: String?) async throws {
        let image = PublishImage(id: .number(3), caption: "Jos\u{E9}", data: .tinyImage)
        let commands: [any Command] = [
            image, comment(), CorrectImage(id: .number(3), description: "a", location: ""),
            RemoveImageComment(imageID: .number(1), id: .number(1)), RemoveImage(id: .number(3)),
        ]
        for (index, command) in commands.enumerated() {
            for number in 1...3 {
                try await dispatch(command, key: "\(index) \(number)", as: sender)
            }
        }
        for id in [3, 9] { try await dispatch(RemoveImage(id: .number(id)), key: "unknown \(id)", as: sender) }
        #expect(try await keys() == ["0 1", "1 1", "2 1", "3 1", "4 1"])
    }

    @Test func `the same text in other bytes is a correction`() async throws {
        try await dispatch(PublishImage(id: .number(3), caption: "Jos\u{E9}", data: .tinyImage), key: "a")
        try await dispatch(CorrectImage(id: .number(3), caption: "Jose\u{301}"), key: "b")
        #expect(try await keys() == ["a", "b"])
    }

    @Test func `a key that an earlier version stored without an effect is free`() async throws {
        try await dispatch(comment())
        try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).write { db in
            try db.execute(sql: "UPDATE handled_command SET is_effective = 0")
        }
        try await dispatch(comment(2))
        await #expect(throws: IdempotencyKeyReused(key: "key")) { try await dispatch(comment(3)) }
        #expect(try await backend.comments(on: .number(1)).map(\.id) == [.number(1), .number(2)])
    }

    // MARK: Another command

    @Test func `the key of another command is refused, and nothing changes`() async throws {
        try await dispatch(comment())
        let others: [any Command] = [
            comment(2), comment(1, on: 2), comment(1, on: 1, "Other"),
            PublishImage(id: .number(3), data: .tinyImage), RemoveImage(id: .number(1)),
        ]
        for other in others {
            await #expect(throws: IdempotencyKeyReused(key: "key")) { try await dispatch(other) }
        }
        #expect(try await backend.page() == .numbers(2, 1))
        #expect(try await backend.comments(on: .number(1)).map(\.message) == ["Hello"])
        #expect(try await backend.comments(on: .number(2)) == [])
    }

    @Test func `another image under the same id is another command`() async throws {
        try await dispatch(PublishImage(id: .number(3), data: .tinyImage))
        for other in [
            PublishImage(id: .number(3), data: .image(ofSize: 999)),
            PublishImage(id: .number(3), description: "d", data: .tinyImage),
            PublishImage(id: .number(3), location: "d", data: .tinyImage),
        ] {
            await #expect(throws: IdempotencyKeyReused(key: "key")) { try await dispatch(other) }
        }
    }

    @Test func `a fingerprint is the same in each process and version`() async throws {
        try await dispatch(comment())
        let fingerprints = try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).read { db in
            try String.fetchAll(db, sql: "SELECT fingerprint FROM handled_command")
        }
        #expect(fingerprints == ["749deed4089863b02bd13d6111b3de3395e7ff60fcc4354a0ba90f8a016149e4"])
    }

    @Test func `each sender has its own keys`() async throws {
        try await dispatch(comment(1))
        try await dispatch(comment(2), as: "ada")
        try await dispatch(comment(3), as: "bob")
        await #expect(throws: IdempotencyKeyReused(key: "key")) { try await dispatch(comment(4), as: "ada") }
        #expect(try await backend.comments(on: .number(1)).count == 3)
    }

    @Test func `without a key nothing is recorded`() async throws {
        try await container.dispatcher.dispatch(comment())
        try await container.dispatcher.dispatch(RemoveImage(id: .number(1)))
        #expect(try await keys() == [])
    }

    // MARK: Failures

    @Test func `a refused command leaves its key free, and its repeat is handled again`() async throws {
        await #expect(throws: ImageNotFound(id: .number(3))) { try await dispatch(comment(1, on: 3)) }
        #expect(try await keys() == [])
        try await backend.publish(3...3)
        try await dispatch(comment(1, on: 3))
        #expect(try await backend.comments(on: .number(3)).count == 1)
    }

    @Test func `if the key cannot be recorded, the command has no effect`() async throws {
        let queue = try DatabaseQueue(path: backend.folder.path("feed.sqlite"))
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON handled_command BEGIN SELECT RAISE(ABORT, 'full'); END
                    """
            )
        }
        await #expect(throws: DatabaseError.self) { try await dispatch(comment()) }
        #expect(try await backend.comments(on: .number(1)) == [])
        try await queue.write { try $0.execute(sql: "DROP TRIGGER full") }
        try await dispatch(comment())
        #expect(try await backend.comments(on: .number(1)).count == 1)
    }

    // MARK: Expiry

    @Test(arguments: [(-0.001, false), (0, true), (0.001, true)])
    func `a key expires after a day, inclusively`(offset: Double, isExpired: Bool) async throws {
        try await dispatch(comment(1))
        date.advance(by: Self.day + offset)
        do {
            try await dispatch(comment(2))
            #expect(isExpired)
        } catch is IdempotencyKeyReused {
            #expect(!isExpired)
        }
    }

    @Test func `the next command with a key removes the expired ones`() async throws {
        for key in ["a", "b", "c"] {
            try await dispatch(comment(key == "a" ? 1 : key == "b" ? 2 : 3), key: key)
            date.advance(by: Self.day / 2)
        }
        #expect(try await keys() == ["b", "c"])
        date.advance(by: Self.day)
        try await dispatch(comment(4), key: "d")
        #expect(try await keys() == ["d"])
    }
}
