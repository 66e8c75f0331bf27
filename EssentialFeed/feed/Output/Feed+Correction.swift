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
        for i in 1...max(1, from.count) where !from.isEmpty {
            var row = [i]
            for j in 1...max(1, to.count) where !to.isEmpty {
                let isEqual = from[i - 1] == to[j - 1]
                var costs = [row[j - 1] + 1, rows[i - 1][j] + 1, rows[i - 1][j - 1] + (isEqual ? 0 : 1)]
                let isSwapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]
                if isSwapped { costs.append(rows[i - 2][j - 2] + 1) }
                row.append(costs.min() ?? 0)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}
