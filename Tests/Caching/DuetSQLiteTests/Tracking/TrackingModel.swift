import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import GRDB

/// A generated schema with queries, and generated writes after which each cached value must equal a fresh one.
struct TrackingModel: Sendable {
    enum Query: Sendable {
        case select(String)
        /// One that fails without rows.
        case failing(String)
        /// The values of others.
        case derived([Int])
        /// The row of a table with an `id`.
        case row(table: Int, id: Int)
    }

    enum Write: Sendable, CustomStringConvertible {
        case handler(String)
        /// By code that does not know of the tracking.
        case elsewhere(String)
        case rolledBack(String)
        /// One that ends before its statement does.
        case returning(String)
        /// One that changes one row of a table, as a rule says.
        case narrowed(table: Int, id: Int, String)

        var description: String {
            switch self {
            case .handler(let sql): sql
            case .elsewhere(let sql): "elsewhere: \(sql)"
            case .rolledBack(let sql): "rolled back: \(sql)"
            case .returning(let sql): "\(sql) RETURNING"
            case .narrowed(let table, let id, let sql): "narrowed to \(id) of t\(table): \(sql)"
            }
        }
    }

    let schema: [String]
    let queries: [Query]
    var writes: [Write]

    private static let tableCount = 3

    init(seed: UInt64, writes count: Int) {
        var random = SeededGenerator(seed: seed)
        schema = Self.schema(&random)
        queries = Self.queries(schema, &random)
        let views = schema.contains { $0.hasPrefix("CREATE VIEW") }
        let isIndexed = schema.contains { $0.hasPrefix("CREATE VIRTUAL") }
        writes = (0..<count).map { _ in Self.write(hasView: views, hasIndex: isIndexed, &random) }
    }

    // MARK: Generating

    private static func schema(_ random: inout SeededGenerator) -> [String] {
        var schema: [String] = []
        for table in 0..<tableCount {
            var columns = ["id INTEGER PRIMARY KEY", "a INT", "b INT", "c TEXT"]
            switch Int.random(in: 0..<5, using: &random) {
            case 0: columns[2] += " UNIQUE"
            case 1: columns[2] += " UNIQUE ON CONFLICT REPLACE"
            default: break
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: columns.append("g INT AS (a + b)")
            case 1: columns.append("g INT AS (a * 2) STORED")
            default: columns.append("g INT")
            }
            if table > 0, Bool.random(using: &random) {
                columns.append("p INT REFERENCES t\(table - 1) ON DELETE CASCADE ON UPDATE CASCADE")
            } else {
                columns.append("p INT")
            }
            let options = Int.random(in: 0..<4, using: &random) == 0 ? " WITHOUT ROWID" : ""
            schema.append("CREATE TABLE t\(table) (\(columns.joined(separator: ", ")))\(options)")
            if table > 0, Int.random(in: 0..<3, using: &random) == 0 {
                let event = ["INSERT", "DELETE", "UPDATE OF a"].randomElement(using: &random) ?? ""
                let action = [
                    "UPDATE t\(table) SET a = a + 1", "DELETE FROM t\(table) WHERE id = 1",
                    "INSERT INTO t\(table) (a, b) VALUES (7, NULL)",
                ]
                let change = action.randomElement(using: &random) ?? ""
                schema.append("CREATE TRIGGER r\(table) AFTER \(event) ON t\(table - 1) BEGIN \(change); END")
            }
            schema.append("INSERT INTO t\(table) (id, a, b, c) VALUES (1, 1, 1, 'x'), (2, 2, 2, 'y'), (3, 0, 3, 'z')")
        }
        if Bool.random(using: &random) {
            schema.append("CREATE VIEW v AS SELECT t0.id, t0.a, t1.c FROM t0 JOIN t1 ON t1.id = t0.b")
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: schema.append("CREATE VIRTUAL TABLE f USING fts5(c)")
        case 1: schema.append("CREATE VIRTUAL TABLE f USING fts5(c, content='t0', content_rowid='id')")
        default: break
        }
        return schema
    }

    private static func queries(_ schema: [String], _ random: inout SeededGenerator) -> [Query] {
        var queries: [Query] = []
        for _ in 0..<6 {
            let table = Int.random(in: 0..<tableCount, using: &random)
            let other = Int.random(in: 0..<tableCount, using: &random)
            let column = ["a", "b", "c", "g", "p", "id", "*"].randomElement(using: &random) ?? ""
            let number = Int.random(in: 0..<5, using: &random)
            let select = [
                "SELECT \(column) FROM t\(table)", "SELECT \(column) FROM t\(table) WHERE a = \(number)",
                "SELECT COUNT(*) FROM t\(table)", "SELECT MAX(a) FROM t\(table) WHERE b > \(number)",
                "SELECT EXISTS (SELECT 1 FROM t\(table) WHERE b = \(number))",
                "SELECT x.a, y.c FROM t\(table) x JOIN t\(other) y ON y.id = x.b ORDER BY x.id, y.id",
                "SELECT a FROM t\(table) WHERE id IN (SELECT b FROM t\(other)) ORDER BY id",
                "WITH w AS (SELECT * FROM t\(table) ORDER BY b, id LIMIT 2) SELECT c FROM w",
                "SELECT c FROM t\(table) ORDER BY b DESC, id LIMIT \(number)",
                "SELECT x.a FROM t\(table) x JOIN t\(other) y USING (b) ORDER BY x.id, y.id",
                "SELECT COUNT(*) FROM t0 NATURAL JOIN t\(other)",
                "SELECT t0.a FROM t0 LEFT JOIN t\(other) y USING (id) WHERE y.id IS NULL",
            ]
            let sql = select.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<10, using: &random) {
            case 0: queries.append(.failing("SELECT a FROM t\(table) WHERE b = \(number)"))
            case 1, 2: queries.append(.row(table: table, id: number))
            case 3 where queries.count > 1:
                queries.append(.derived([0, queries.count - 1]))
            default: queries.append(.select(sql))
            }
        }
        if schema.contains(where: { $0.hasPrefix("CREATE VIEW") }) { queries.append(.select("SELECT a, c FROM v")) }
        if schema.contains(where: { $0.hasPrefix("CREATE VIRTUAL") }) {
            queries.append(.select("SELECT c FROM f ORDER BY rowid"))
            queries.append(.select("SELECT COUNT(*) FROM f WHERE f MATCH 'x'"))
        }
        return queries
    }

    private static func write(hasView: Bool, hasIndex: Bool, _ random: inout SeededGenerator) -> Write {
        let statement = statement(hasView: hasView, hasIndex: hasIndex, &random)
        let second = Self.statement(hasView: hasView, hasIndex: hasIndex, &random)
        let table = Int.random(in: 0..<tableCount, using: &random)
        let id = Int.random(in: 0..<5, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return .elsewhere(statement)
        case 2: return .rolledBack(statement)
        case 3, 4:
            let column = ["a", "c"].randomElement(using: &random) ?? ""
            return .narrowed(table: table, id: id, "UPDATE t\(table) SET \(column) = \(id + 1) WHERE id = \(id)")
        case 5: return .handler("\(statement); \(second)")
        case 8: return .returning("UPDATE OR IGNORE t\(table) SET b = \(id) WHERE a = \(id) RETURNING id")
        case 6: return .handler("SAVEPOINT s; \(statement); ROLLBACK TO s; RELEASE s; \(second)")
        case 7: return .handler("SAVEPOINT s; \(statement); RELEASE s")
        default: return .handler(statement)
        }
    }

    private static func statement(hasView: Bool, hasIndex: Bool, _ random: inout SeededGenerator) -> String {
        let table = "t\(Int.random(in: 0..<tableCount, using: &random))"
        let numbers = (0..<3).map { _ in Int.random(in: 0..<5, using: &random) }
        let column = ["a", "b", "c", "id", "p"].randomElement(using: &random) ?? ""
        let row = "(id, a, b, c) VALUES (\(numbers[0]), \(numbers[1]), \(numbers[2]), 'x')"
        switch Int.random(in: 0..<60, using: &random) {
        case 0: return "ALTER TABLE \(table) ADD COLUMN n\(Int.random(in: 0..<1_000_000, using: &random)) INT"
        case 1: return "CREATE TEMP TABLE IF NOT EXISTS temporary (a INT)"
        case 2: return "CREATE TEMP TABLE IF NOT EXISTS temporary (a INT); INSERT INTO temporary SELECT a FROM \(table)"
        case 3 where hasView: return "DROP VIEW v; CREATE VIEW v AS SELECT a, c, id FROM \(table)"
        case 4..<8 where hasIndex: return "INSERT INTO f (rowid, c) VALUES (\(numbers[0]), 'x')"
        case 8 where hasIndex: return "DELETE FROM f WHERE rowid = \(numbers[0])"
        case 9..<18: return "INSERT OR IGNORE INTO \(table) \(row)"
        case 18..<24: return "REPLACE INTO \(table) \(row)"
        case 24..<30: return "UPDATE OR REPLACE \(table) SET b = \(numbers[1]) WHERE id = \(numbers[0])"
        case 30..<34:
            return "INSERT INTO \(table) \(row) ON CONFLICT (id) DO UPDATE SET \(column) = excluded.a"
        case 34..<38: return "DELETE FROM \(table) WHERE a = \(numbers[0])"
        case 38: return "DELETE FROM \(table)"
        default: return "UPDATE OR IGNORE \(table) SET \(column) = \(numbers[1]) WHERE id = \(numbers[0])"
        }
    }
}
