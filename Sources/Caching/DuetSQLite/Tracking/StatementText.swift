/// The text of a statement, and of the views that it uses, in lower case and without spaces.
///
/// A literal text or a name that looks like a function is taken for one, which costs no more than a cached value.
struct StatementText {
    /// Functions of SQLite whose result depends on more than their arguments.
    static let functions: Set<String> = [
        "changes", "last_insert_rowid", "load_extension", "random", "randomblob", "total_changes",
    ]
    private static let dates = ["date", "time", "julianday", "strftime", "timediff", "unixepoch"]
    private static let times = ["current_date", "current_time", "'now'", "\"now\""]
    private static let definitions = ["alter", "attach", "create", "detach", "drop", "reindex", "vacuum"]
    /// Settings, and what changes only with the schema.
    private static let pragmas = [
        "_info", "_list", "_xinfo", "compile_options", "encoding", "foreign_keys", "query_only", "schema_version",
    ]

    private var text: String
    /// Whether the statement may create or remove something that other statements name.
    let isDefinition: Bool

    init(_ sql: String, views: [String: Table]) {
        text = Self.compact(sql)
        isDefinition = Self.definitions.contains { [text] in text.hasPrefix($0) }
        var views = views.compactMapValues(\.view)
        while let next = views.keys.first(where: { [text] in text.contains($0.lowercased()) }) {
            text += Self.compact(views.removeValue(forKey: next) ?? "")
        }
    }

    private static func compact(_ sql: String) -> String { sql.lowercased().filter { !$0.isWhitespace } }

    /// What the statement depends on that nobody can track; nil for nothing.
    func door(_ functions: Set<String>) -> String? {
        if text.contains("pragma"), !Self.pragmas.contains(where: { text.contains($0) }) { return "a PRAGMA" }
        if let time = Self.times.first(where: { text.contains($0) }) { return time }
        let function = functions.sorted().first { text.contains($0 + "(") }
        // Without an argument, or with one that is only known later, it may be the present date.
        let date = Self.dates.first { date in ["()", "(?", "(:", "(@", "($"].contains { text.contains(date + $0) } }
        return (function ?? date).map { "the function \($0)" }
    }
}
