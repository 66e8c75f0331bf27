extension DependencyGraph {
    /// The graph in the DOT language of Graphviz, for `dot -Tsvg graph.dot -o graph.svg`.
    ///
    /// Messages are ellipses and registrations are boxes. A bold box is a singleton, a solid one scoped, a dashed one
    /// transient, a gray one opaque, and a dotted one not registered. A dashed arrow is an optional dependency. An
    /// arrow with an open head leads to one member of a collection.
    public var dot: String { Self.digraph(lines(prefix: "")) }

    /// Returns one drawing of several graphs, each in a frame with its unique title.
    public static func dot(_ graphs: KeyValuePairs<String, DependencyGraph>) -> String {
        digraph(
            graphs.flatMap { title, graph in
                ["subgraph \(quoted("cluster \(title)")) {", "  label=\(quoted(title))"]
                    + graph.lines(prefix: "\(title): ").map { "  \($0)" } + ["}"]
            }
        )
    }

    private static func digraph(_ lines: [String]) -> String {
        let lines = ["rankdir=LR", "node [shape=box]"] + lines
        return (["digraph dependencies {"] + lines.map { "  \($0)" } + ["}"]).joined(separator: "\n")
    }

    /// Returns the statements of the graph.
    ///
    /// The prefix distinguishes nodes of the same name in two graphs of one drawing.
    private func lines(prefix: String) -> [String] {
        var lines: [String] = []
        for route in routes {
            let message = quoted(prefix + route.message)
            let label = prefix.isEmpty ? "" : "label=\(quoted(route.message)), "
            lines.append("\(message) [\(label)shape=ellipse, xlabel=\(quoted(route.kind.rawValue))]")
            lines.append("\(message) -> \(quoted(prefix + route.handler))")
        }
        for node in nodes {
            let label = [node.name, node.implementation, node.lifetime.rawValue].compactMap(\.self)
                .map(escaped).joined(separator: "\\n")
            let style = node.lifetime.style
            let look = node.isOpaque ? "style=\"\(style),filled\", fillcolor=lightgrey" : "style=\(style)"
            let name = quoted(prefix + node.name)
            lines.append("\(name) [label=\"\(label)\", \(look)]")
            for edge in node.dependencies {
                lines.append("\(name) -> \(quoted(prefix + edge.name))\(edge.kind.attributes)")
            }
        }
        let registered = Set(nodes.map(\.name))
        var missing: Set<String> = []
        for edge in nodes.flatMap(\.dependencies) where !registered.contains(edge.name) {
            guard missing.insert(edge.name).inserted else { continue }
            let label = prefix.isEmpty ? "" : "label=\(quoted(edge.name)), "
            lines.append("\(quoted(prefix + edge.name)) [\(label)style=dotted]")
        }
        return lines
    }
}

private func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

/// In a quoted string of the DOT language, a quote ends the string and a backslash begins an escape.
private func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] })
}

extension Lifetime {
    fileprivate var style: String {
        switch self {
        case .singleton: "bold"
        case .scoped: "solid"
        case .transient: "dashed"
        }
    }
}

extension DependencyGraph.Edge.Kind {
    fileprivate var attributes: String {
        switch self {
        case .required: ""
        case .optional: " [style=dashed]"
        case .collection: " [arrowhead=empty]"
        }
    }
}
