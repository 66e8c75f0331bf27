extension DependencyGraph {
    /// The graph in the DOT language, for Graphviz: `dot -Tsvg graph.dot -o graph.svg`.
    ///
    /// Messages are ellipses, what can be made are boxes: bold is a singleton, plain is scoped, dashed is transient, grey is
    /// opaque, dotted is not registered. A dashed arrow is an optional dependency; an arrow with an open end goes to each of
    /// a collection.
    public var dot: String {
        var lines = ["digraph dependencies {", "  rankdir=LR", "  node [shape=box]"]
        for route in routes {
            let message = quoted(route.message)
            lines.append("  \(message) [shape=ellipse, xlabel=\(quoted(route.kind.rawValue))]")
            lines.append("  \(message) -> \(quoted(route.handler))")
        }
        for node in nodes {
            let label = [node.name, node.implementation, node.lifetime.rawValue].compactMap(\.self)
                .map(escaped).joined(separator: "\\n")
            let style = node.lifetime.style
            let look = node.isOpaque ? "style=\"\(style),filled\", fillcolor=lightgrey" : "style=\(style)"
            lines.append("  \(quoted(node.name)) [label=\"\(label)\", \(look)]")
            for edge in node.dependencies {
                lines.append("  \(quoted(node.name)) -> \(quoted(edge.name))\(edge.kind.attributes)")
            }
        }
        let registered = Set(nodes.map(\.name))
        var missing: Set<String> = []
        for edge in nodes.flatMap(\.dependencies) where !registered.contains(edge.name) {
            if missing.insert(edge.name).inserted { lines.append("  \(quoted(edge.name)) [style=dotted]") }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }
}

private func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

/// A quoted string of the DOT language ends at a quote, and reads a backslash as the start of an escape.
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

extension DependencyGraph.Kind {
    fileprivate var attributes: String {
        switch self {
        case .required: ""
        case .optional: " [style=dashed]"
        case .collection: " [arrowhead=empty]"
        }
    }
}
