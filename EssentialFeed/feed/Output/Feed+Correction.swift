import ArgumentParser

extension Feed {
    /// Returns an error that suggests a command if an argument is a mistyped one; otherwise the error itself.
    static func correction(of error: any Error, arguments: some Sequence<String>) -> any Error {
        guard exitCode(for: error) == .validationFailure, let (word, command) = mistyped(in: arguments) else {
            return error
        }
        return ValidationError("There is no command '\(word)'. Did you mean '\(command)'?")
    }

    /// Returns the first argument that is no command in its place, and a command there that differs from it in at most
    /// two letters.
    private static func mistyped(in arguments: some Sequence<String>) -> (word: String, command: String)? {
        var commands = configuration.subcommands
        for argument in arguments.prefix(while: { !$0.hasPrefix("-") }) {
            if let command = commands.first(where: { $0._commandName == argument }) {
                commands = command.configuration.subcommands
                continue
            }
            let candidates = commands.map { ($0._commandName, argument.distance(to: $0._commandName)) }
            guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= min(2, argument.count / 2) else {
                return nil
            }
            return (argument, best.0)
        }
        return nil
    }
}

extension String {
    /// Returns the number of letters to insert, remove, replace or swap with the next one to get another text.
    fileprivate func distance(to other: String) -> Int {
        let (from, to) = (Array(self), Array(other))
        var rows = [Array(0...to.count)]
        for i in from.indices {
            var row = [i + 1]
            for j in to.indices {
                var costs = [row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (from[i] == to[j] ? 0 : 1)]
                if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] { costs.append(rows[i - 1][j - 1] + 1) }
                row.append(costs.min() ?? 0)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}
