extension DependencyGraph: CustomStringConvertible {
    /// The graph as text: the messages with their handlers, then what can be made with what it needs.
    public var description: String {
        let messages = routes.map { "  \($0.kind) \($0.message) → \($0.handler)" }
        let registrations = nodes.map { node in
            var line = "  \(node.lifetime) \(node.name)"
            if let implementation = node.implementation { line += " as \(implementation)" }
            if node.isOpaque { line += " (opaque: resolves from the scope what is not known here)" }
            if !node.dependencies.isEmpty { line += " → \(node.dependencies.map(\.text).joined(separator: ", "))" }
            return line
        }
        return (section("messages", messages) + section("registrations", registrations)).joined(separator: "\n")
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [title] + lines
    }
}

extension DependencyGraph.Edge {
    fileprivate var text: String {
        switch kind {
        case .required: name
        case .optional: "\(name)?"
        case .collection: "[\(name)]"
        }
    }
}
