import DuetSQLite
import Foundation
import GRDB

extension DatabaseWriter {
    /// Creates the tables that are missing.
    func migrate() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE user (
                        id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE,
                        password BLOB NOT NULL, salt BLOB NOT NULL, bio TEXT, image TEXT
                    );
                    CREATE TABLE follow (
                        follower INTEGER NOT NULL REFERENCES user, followed INTEGER NOT NULL REFERENCES user,
                        PRIMARY KEY (follower, followed)
                    ) WITHOUT ROWID;
                    CREATE TABLE article (
                        id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
                        description TEXT NOT NULL, body TEXT NOT NULL, tagList TEXT NOT NULL,
                        createdAt DATETIME NOT NULL, updatedAt DATETIME NOT NULL,
                        author INTEGER NOT NULL REFERENCES user
                    );
                    CREATE INDEX article_author ON article (author);
                    CREATE TABLE favorite (
                        article INTEGER NOT NULL REFERENCES article ON DELETE CASCADE,
                        user INTEGER NOT NULL REFERENCES user,
                        PRIMARY KEY (article, user)
                    ) WITHOUT ROWID;
                    CREATE TABLE comment (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL,
                        createdAt DATETIME NOT NULL, updatedAt DATETIME NOT NULL,
                        article INTEGER NOT NULL REFERENCES article ON DELETE CASCADE,
                        author INTEGER NOT NULL REFERENCES user
                    );
                    CREATE INDEX comment_article ON comment (article);
                    CREATE TABLE secret (key BLOB NOT NULL);
                    """
            )
            try SQLiteCommandInbox.createTable(in: db)
        }
        try migrator.migrate(self)
    }
}
