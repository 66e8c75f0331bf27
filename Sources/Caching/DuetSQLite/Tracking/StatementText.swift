/// The text of a statement, and of the views that it uses, in lower case and without spaces.
///
/// A literal text or a name that looks like a function is taken for one, which costs no more than a cached value.
struct StatementText {
    /// Functions of SQLite whose result depends on more than their arguments.
    private static let functions = [
        "changes", "last_insert_rowid", "load_extension", "random", "randomblob", "total_changes",
    ]
    private static let dates = ["date", "time", "julianday", "strftime", "timediff", "unixepoch"]
    private static let times = ["current_date", "current_time", "'now'", "\"now\"", "subsec"]
    private static let definitions = ["alter", "attach", "create", "detach", "drop", "reindex", "vacuum"]
    /// Settings, and what changes only with the schema.
    private static let pragmas = [
        "_info", "_list", "_xinfo", "compile_options", "encoding", "foreign_keys", "query_only", "schema_version",
    ]

    private var text: String
    /// Whether the statement may create or remove something that other statements name.
    let isDefinition: Bool

    init(_ sql: String, views: Schema.Tables) {
        text = Self.compact(sql)
        isDefinition = Self.definitions.contains { [text] in text.hasPrefix($0) }
        var views = views.compactMapValues(\.view)
        while let next = views.keys.first(where: { [text] in text.contains($0.lowercased()) }) {
            text += Self.compact(views.removeValue(forKey: next) ?? "")
        }
    }

    private static func compact(_ sql: String) -> String { sql.lowercased().filter { !$0.isWhitespace } }

    /// The tables whose columns SQLite compares without reporting them.
    func tablesOfImplicitColumns(_ names: some Sequence<String>) -> [String] {
        guard text.contains("using(") || text.contains("natural") else { return [] }
        return names.filter { text.contains($0.lowercased()) }
    }

    /// Something in the statement that nobody can track; nil for nothing.
    func door(_ functions: [String]) -> String? {
        if text.contains("pragma"), !Self.pragmas.contains(where: { text.contains($0) }) { return "a PRAGMA" }
        if let time = Self.times.first(where: { text.contains($0) }) { return time }
        let function =
            (Self.functions + functions).first { text.contains($0.lowercased() + "(") }
            ?? Self.dates.first { calls(of: $0).contains(where: Self.mayBeNow) }
        return function.map { "the function \($0)" }
    }

    /// The arguments of each call of a function, up to the first parenthesis.
    private func calls(of function: String) -> [Substring] {
        text.ranges(of: function + "(").map { text[$0.upperBound...].prefix { $0 != ")" } }
    }

    /// Whether a date may be the present one: without a date, or with one that is only known later.
    private static func mayBeNow(_ arguments: Substring) -> Bool {
        arguments.isEmpty || arguments.contains { "?:@$".contains($0) }
            || arguments.hasPrefix("'%") && !arguments.contains(",")
    }
}
