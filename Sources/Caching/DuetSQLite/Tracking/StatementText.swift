/// The words of a statement, and of the views that it uses.
struct StatementText {
    /// Functions of SQLite whose result depends on more than their arguments.
    static let functions: Set<String> = [
        "changes", "last_insert_rowid", "load_extension", "random", "randomblob", "total_changes",
    ]
    private static let dates: Set<String> = [
        "date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch",
    ]
    private static let times: Set<String> = ["current_date", "current_time", "current_timestamp"]
    /// Settings, and what changes only with the schema.
    private static let pragmas: Set<String> = [
        "collation_list", "compile_options", "database_list", "encoding", "foreign_key_list", "foreign_keys",
        "function_list", "index_info", "index_list", "index_xinfo", "module_list", "pragma_list", "query_only",
        "recursive_triggers", "schema_version", "table_info", "table_list", "table_xinfo",
    ]

    private struct Token {
        var word: String
        var isCall = false
        /// What follows the parenthesis of a call.
        var isNow = false
    }

    private var tokens: [Token] = []

    init(_ sql: String, views: [String: Table]) {
        var seen: Set<String> = []
        var rest = [sql]
        while let text = rest.popLast() {
            let found = Self.tokens(of: text)
            tokens += found
            for token in found where seen.insert(token.word).inserted {
                for (name, table) in views where name.lowercased() == token.word { rest += [table.view].compactMap(\.self) }
            }
        }
    }

    /// Whether the statement may create or remove something that other statements name.
    var isDefinition: Bool {
        ["alter", "attach", "create", "detach", "drop", "reindex", "vacuum"].contains(tokens.first?.word)
    }

    /// What the statement depends on that nobody can track; nil for nothing.
    func door(_ functions: Set<String>) -> String? {
        if tokens.first?.word == "pragma", let name = tokens.dropFirst().first?.word, !Self.pragmas.contains(name) {
            return "PRAGMA \(name)"
        }
        for token in tokens {
            if Self.times.contains(token.word) { return token.word.uppercased() }
            guard token.isCall else { continue }
            if functions.contains(token.word) || Self.dates.contains(token.word) && token.isNow {
                return "the function \(token.word)"
            }
            if token.word.hasPrefix("pragma_"), !Self.pragmas.contains(String(token.word.dropFirst(7))) {
                return "PRAGMA \(token.word.dropFirst(7))"
            }
        }
        return nil
    }

    /// The words of a text in lower case, without literal texts and comments.
    private static func tokens(of sql: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(sql)
        /// The calls whose date may be the present one.
        var openDates: [Int] = []
        while let first = rest.first {
            if rest.hasPrefix("--") {
                rest = rest.drop { $0 != "\n" }
            } else if rest.hasPrefix("/*") {
                rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
            } else if first == "'" {
                let text = rest.dropFirst().prefix { $0 != "'" }
                if text.lowercased() == "now" { for index in openDates { tokens[index].isNow = true } }
                rest = rest.dropFirst(text.count + 2)
            } else if let end = ["\"": "\"", "`": "`", "[": "]"][first] as Character? {
                let name = rest.dropFirst().prefix { $0 != end }
                tokens.append(Token(word: name.lowercased()))
                rest = rest.dropFirst(name.count + 2)
            } else if first.isLetter || first == "_" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                tokens.append(Token(word: word.lowercased()))
                rest = rest.dropFirst(word.count)
            } else if first == "(" {
                rest = rest.dropFirst().drop(while: \.isWhitespace)
                guard let index = tokens.indices.last else { continue }
                tokens[index].isCall = true
                // Without an argument, or with one that is only known later, it may be the present date.
                if dates.contains(tokens[index].word) {
                    openDates.append(index)
                    tokens[index].isNow = rest.first.map { ")?:@$".contains($0) } ?? true
                }
            } else {
                rest = rest.dropFirst()
            }
        }
        return tokens
    }
}
