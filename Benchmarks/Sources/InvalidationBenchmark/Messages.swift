import Duet
import DuetCaching
import DuetSQLite
import GRDB

/// A query whose value is the rows of a statement.
protocol CachedRead: Query, Hashable where Value == [[DatabaseValue]] {
    static var sql: String { get }
    var arguments: StatementArguments { get }
}

extension CachedRead {
    func rows(in db: Database) throws -> Value {
        try Row.fetchAll(db.cachedStatement(sql: Self.sql), arguments: arguments).map { Array($0.databaseValues) }
    }

    func peek(in cache: QueryCache) -> Value? { cache.peek(self) }

    func load(from dispatcher: some Dispatcher) async throws -> Value { try await dispatcher.dispatch(self) }
}

struct RowsHandler<Q: CachedRead>: QueryHandler {
    let database: TrackedDatabase

    func handle(_ query: Q) async throws -> Q.Value { try await database.read { try query.rows(in: $0) } }
}

struct LoadPage: CachedRead {
    static let sql = """
        SELECT image.id, title, location, comments, name FROM image JOIN user ON user.id = author
        WHERE position < ? ORDER BY position DESC LIMIT 20
        """
    let before: Int
    var arguments: StatementArguments { [before] }
}

struct LoadImage: CachedRead {
    static let sql = """
        SELECT image.id, title, location, likes, name FROM image JOIN user ON user.id = author WHERE image.id = ?
        """
    let id: Int
    var arguments: StatementArguments { [id] }
}

struct LoadComments: CachedRead {
    static let sql = """
        SELECT comment.id, text, name FROM comment JOIN user ON user.id = author WHERE image = ? ORDER BY comment.id
        """
    let image: Int
    var arguments: StatementArguments { [image] }
}

struct LoadAuthor: CachedRead {
    static let sql = """
        SELECT name, bio, (SELECT COUNT(id) FROM image WHERE author = user.id) FROM user WHERE user.id = ?
        """
    let id: Int
    var arguments: StatementArguments { [id] }
}

struct Search: CachedRead {
    static let sql = "SELECT id, title FROM image WHERE title LIKE ? ORDER BY id LIMIT 20"
    let words: String
    var arguments: StatementArguments { ["%\(words)%"] }
}

struct LoadTop: CachedRead {
    static let sql = "SELECT id, title FROM image ORDER BY likes DESC, id LIMIT ?"
    let count: Int
    var arguments: StatementArguments { [count] }
}

// MARK: Writes

protocol Change: Command {
    func execute(in db: Database) throws
}

struct WriteHandler<C: Change>: CommandHandler {
    let database: TrackedDatabase

    func handle(_ command: C) async throws { try await database.write { try command.execute(in: $0) } }
}

struct View: Change {
    let id: Int

    func execute(in db: Database) throws {
        try db.execute(sql: "UPDATE image SET views = views + 1 WHERE id = ?", arguments: [id])
    }
}

struct Like: Change {
    let id: Int

    func execute(in db: Database) throws {
        try db.execute(sql: "UPDATE image SET likes = likes + 1 WHERE id = ?", arguments: [id])
    }
}

struct PostComment: Change {
    let image: Int
    let author: Int
    let text: String

    func execute(in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO comment (image, author, text) VALUES (?, ?, ?)",
            arguments: [image, author, text]
        )
        try db.execute(sql: "UPDATE image SET comments = comments + 1 WHERE id = ?", arguments: [image])
    }
}

struct Retitle: Change {
    let id: Int
    let title: String

    func execute(in db: Database) throws {
        try db.execute(sql: "UPDATE image SET title = ? WHERE id = ?", arguments: [title, id])
    }
}

struct DescribeUser: Change {
    let id: Int
    let bio: String

    func execute(in db: Database) throws {
        try db.execute(sql: "UPDATE user SET bio = ? WHERE id = ?", arguments: [bio, id])
    }
}

struct RenameUser: Change {
    let id: Int
    let name: String

    func execute(in db: Database) throws {
        try db.execute(sql: "UPDATE user SET name = ? WHERE id = ?", arguments: [name, id])
    }
}

struct Publish: Change {
    let id: Int
    let title: String
    let author: Int

    func execute(in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO image VALUES (?, ?, '', ?, ?, 0, 0, 0)",
            arguments: [id, title, author, id]
        )
    }
}

struct Remove: Change {
    let id: Int

    func execute(in db: Database) throws { try db.execute(sql: "DELETE FROM image WHERE id = ?", arguments: [id]) }
}
