/// Metrics in the text format of Prometheus, read strictly.
struct PrometheusText {
    struct Family: Equatable {
        let type: String
        /// The values by the name and the labels, as written.
        var samples: [String: Double] = [:]
        var labels: [[String: String]] = []
    }

    struct Invalid: Error {
        let line: String
    }

    private(set) var families: [String: Family] = [:]

    /// - Throws: `Invalid` for a line that is not of the format, or not below the help and the type of its metric.
    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Invalid(line: text) }
        var name = ""
        var help: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if let match = line.wholeMatch(of: /# HELP ([a-zA-Z_][a-zA-Z0-9_]*) (.+)/) {
                guard help == nil, families[String(match.1)] == nil else { throw Invalid(line: line) }
                help = String(match.1)
            } else if let match = line.wholeMatch(
                of: /# TYPE ([a-zA-Z_][a-zA-Z0-9_]*) (counter|gauge|histogram|summary)/
            ) {
                guard help == String(match.1) else { throw Invalid(line: line) }
                (name, help) = (String(match.1), nil)
                families[name] = Family(type: String(match.2))
            } else {
                try addSample(line, to: name)
            }
        }
        guard help == nil else { throw Invalid(line: text) }
    }

    private mutating func addSample(_ line: String, to family: String) throws {
        let pattern = /([a-zA-Z_][a-zA-Z0-9_]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\[\\"n])*",?)+)\})? (\S+)/
        guard let match = line.wholeMatch(of: pattern), let value = number(match.3),
            ["", "_bucket", "_sum", "_count"].contains(where: { match.1 == family + $0 })
        else { throw Invalid(line: line) }
        var labels: [String: String] = [:]
        for label in (match.2 ?? "").matches(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"/) {
            guard labels[String(label.1)] == nil else { throw Invalid(line: line) }
            labels[String(label.1)] = unescaped(label.2)
        }
        let key = String(line.dropLast(match.3.count + 1))
        guard families[family]?.samples[key] == nil else { throw Invalid(line: line) }
        families[family]?.samples[key] = value
        families[family]?.labels.append(labels)
    }

    private func number(_ text: Substring) -> Double? {
        text == "+Inf" ? .infinity : text == "-Inf" ? -.infinity : text == "NaN" ? .nan : Double(text)
    }

    private func unescaped(_ text: Substring) -> String {
        var isEscaped = false
        return text.reduce(into: "") { result, character in
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
    }
}
