import Duet
import DuetCaching
import DuetSQLite
import GRDB

/// Images, comments and users with about 510 cached queries of six kinds, and writes of which most concern popular
/// images.
struct Workload: Sendable {
    static let images = 2_000
    static let comments = 10_000
    static let users = 200

    let pool: DatabaseQueue
    let database: TrackedDatabase
    let cached: CachingDispatcher

    init(isNarrowed: Bool) throws {
        pool = try DatabaseQueue()
        var random = Generator(seed: 7)
        try pool.write { db in try Self.fill(db, &random) }
        let database = try TrackedDatabase(pool, checkingEvery: nil)
        self.database = database
        let handlers = try StandardDispatcher {
            RowsHandler<LoadPage>(database: database)
            RowsHandler<LoadImage>(database: database)
            RowsHandler<LoadComments>(database: database)
            RowsHandler<LoadAuthor>(database: database)
            RowsHandler<Search>(database: database)
            RowsHandler<LoadTop>(database: database)
            WriteHandler<View>(database: database)
            WriteHandler<Like>(database: database)
            WriteHandler<PostComment>(database: database)
            WriteHandler<Retitle>(database: database)
            WriteHandler<DescribeUser>(database: database)
            WriteHandler<RenameUser>(database: database)
            WriteHandler<Publish>(database: database)
            WriteHandler<Remove>(database: database)
        }
        cached = try handlers.caching(in: .memory(limit: .entries(10_000)), tracking: database) {
            Cache(LoadPage.self)
            Cache(LoadImage.self)
            Cache(LoadComments.self)
            Cache(LoadAuthor.self)
            Cache(Search.self)
            Cache(LoadTop.self)
            if isNarrowed {
                Invalidate(LoadImage.self, after: Like.self) { $0.id == $1.id }
                Invalidate(LoadImage.self, after: Retitle.self) { $0.id == $1.id }
                Invalidate(LoadImage.self, after: Remove.self) { $0.id == $1.id }
                Invalidate(LoadComments.self, after: PostComment.self) { $0.image == $1.image }
                Invalidate(LoadAuthor.self, after: DescribeUser.self) { $0.id == $1.id }
                Invalidate(LoadAuthor.self, after: RenameUser.self) { $0.id == $1.id }
            }
        }
    }

    private static func fill(_ db: Database, _ random: inout Generator) throws {
        try db.execute(
            sql: """
                CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
                CREATE TABLE image (
                    id INTEGER PRIMARY KEY, title TEXT, location TEXT, author INT, position INT, comments INT, likes INT,
                    views INT
                );
                CREATE INDEX image_position ON image (position);
                CREATE INDEX image_author ON image (author);
                CREATE TABLE comment (id INTEGER PRIMARY KEY, image INT, author INT, text TEXT);
                CREATE INDEX comment_image ON comment (image);
                CREATE TABLE token (id INTEGER PRIMARY KEY, uses INT);
                INSERT INTO token VALUES (1, 0);
                """
        )
        for id in 1...users {
            try db.execute(sql: "INSERT INTO user VALUES (?, ?, ?)", arguments: [id, "name \(id)", random.text(8)])
        }
        for id in 1...images {
            let values: StatementArguments = [
                id, random.text(3), random.text(1), Int.random(in: 1...users, using: &random), id,
                random.popular(exponent: 1.1) * 3,
            ]
            try db.execute(sql: "INSERT INTO image VALUES (?, ?, ?, ?, ?, 0, ?, 0)", arguments: values)
        }
        for id in 1...comments {
            let image = min(images, random.popular(exponent: 0.6))
            try db.execute(
                sql: "INSERT INTO comment VALUES (?, ?, ?, ?)",
                arguments: [id, image, Int.random(in: 1...users, using: &random), random.text(6)]
            )
            try db.execute(sql: "UPDATE image SET comments = comments + 1 WHERE id = ?", arguments: [image])
        }
    }

    /// The queries of all kinds.
    static func reads(_ random: inout Generator) -> [any CachedRead] {
        var reads: [any CachedRead] = (0..<100).map { LoadPage(before: images + 1 - 20 * $0) }
        reads += Set((0..<600).map { _ in min(images, random.popular(exponent: 0.5)) }).sorted().map {
            LoadImage(id: $0)
        }
        reads += Set((0..<500).map { _ in min(images, random.popular(exponent: 0.5)) }).sorted()
            .map { LoadComments(image: $0) }
        reads += (1...users).map { LoadAuthor(id: $0) }
        reads += Generator.words.map { Search(words: $0 + " " + random.text(1)) }
        reads.append(LoadTop(count: 10))
        return reads
    }

    /// One of the writes: views, likes and comments most of all.
    static func write(_ number: Int, _ random: inout Generator) -> any Command {
        let image = min(images, random.popular(exponent: 0.5))
        let any = Int.random(in: 1...images, using: &random)
        let user = Int.random(in: 1...users, using: &random)
        switch Double.random(in: 0..<1, using: &random) {
        case ..<0.30: return View(id: image)
        case ..<0.55: return Like(id: image)
        case ..<0.80: return PostComment(image: image, author: user, text: random.text(6))
        case ..<0.88: return Retitle(id: image, title: random.text(3))
        case ..<0.92: return DescribeUser(id: user, bio: random.text(8))
        case ..<0.95: return RenameUser(id: user, name: random.text(2))
        case ..<0.98: return Publish(id: images + 1 + number, title: random.text(3), author: user)
        default: return Remove(id: any)
        }
    }
}

/// Random numbers that a seed determines.
struct Generator: RandomNumberGenerator {
    static let words = [
        "harbor", "light", "tree", "road", "sea", "stone", "bridge", "snow", "field", "night", "door", "wall", "river",
    ]

    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func text(_ count: Int) -> String {
        (0..<count).map { _ in Self.words.randomElement(using: &self) ?? "" }.joined(separator: " ")
    }

    /// Small numbers more often than large ones (the Pareto distribution).
    mutating func popular(exponent: Double) -> Int {
        var number = 1.0
        let uniform = Double.random(in: 1e-6..<1, using: &self)
        // A power without Foundation: the distribution need not be exact.
        for _ in 0..<Int((1 / exponent).rounded()) { number /= uniform }
        return Int(min(number, 1e9))
    }
}
