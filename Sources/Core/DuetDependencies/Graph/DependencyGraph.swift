/// The registrations of a container, their dependencies, and the handler of each message.
///
/// The description has one line for each message and each registration; ``dot`` draws the graph.
public struct DependencyGraph: Sendable, Equatable {
    /// One registration.
    public struct Node: Sendable, Equatable {
        /// The registered type and name, with the module only where that is needed to tell types apart.
        public let name: String

        /// The implementing type, if it differs from the registered type.
        public let implementation: String?

        /// How long a value is reused.
        public let lifetime: Lifetime

        /// Whether the factory takes the scope, so that its dependencies are unknown.
        public let isOpaque: Bool

        /// The dependencies, in the order of parameters or properties; a collection contributes each registration of
        /// its element's type.
        public let dependencies: [Edge]

        /// The file and line of the registration.
        public let location: String
    }

    /// A dependency of one registration on another.
    public struct Edge: Sendable, Hashable {
        /// The kinds of dependencies.
        @nonexhaustive
        public enum Kind: Sendable {
            /// The dependency must be registered.
            case required

            /// The dependency may be missing.
            case optional

            /// The dependency is one of all registrations of its type.
            case collection
        }

        /// The name of the dependency; for an optional, the name of the wrapped type, registered or not.
        public let name: String

        /// The kind of the dependency.
        public let kind: Kind
    }

    /// A message and its handler.
    public struct Route: Sendable, Equatable {
        /// The kinds of messages.
        public enum Kind: String, Sendable {
            /// The message is a command.
            case command

            /// The message is a query.
            case query
        }

        /// The stable name of the message.
        public let message: String

        /// Whether the message is a command or a query.
        public let kind: Kind

        /// The name of the handler's node.
        public let handler: String
    }

    /// The messages that the standard dispatcher accepts, in the order in which their handlers were listed.
    public let routes: [Route]

    /// All registrations, in order.
    public let nodes: [Node]
}

extension DependencyGraph {
    init(_ container: ContainerCore) {
        routes = container.blueprint.handlers.map {
            Route(message: $0.messageName, kind: $0.kind, handler: container.name(of: $0.handler))
        }
        func edges(of dependency: ResolvedDependency) -> [Edge] {
            if let found = dependency.candidates.first(where: { container.provider(for: $0) != nil }) {
                let mayBeMissing = dependency.kind == .optional && found == dependency.key
                return [Edge(name: container.name(of: found), kind: mayBeMissing ? .optional : .required)]
            }
            return switch dependency.kind {
            case .required: [Edge(name: dependency.key.shortName, kind: .required)]
            case .optional: [Edge(name: dependency.key.shortName, kind: .optional)]
            case .collection:
                container.keys(of: dependency.key.type).map { Edge(name: container.name(of: $0), kind: .collection) }
            case .scope: []
            }
        }
        nodes = container.blueprint.registrations.map { registration in
            Node(
                name: container.name(of: registration.key),
                implementation: registration.implementation,
                lifetime: registration.lifetime,
                isOpaque: registration.isOpaque,
                dependencies: registration.dependencies.flatMap { edges(of: $0) },
                location: "\(registration.location)"
            )
        }
    }
}

extension DependencyGraph: CustomStringConvertible {
    /// The graph as text: each message with its handler, then each registration with its dependencies.
    public var description: String {
        let messages = routes.map { "  \($0.kind) \($0.message) → \($0.handler)" }
        let registrations = nodes.map { node in
            var line = "  \(node.lifetime) \(node.name)"
            if let implementation = node.implementation { line += " as \(implementation)" }
            if node.isOpaque { line += " (opaque: its dependencies are unknown)" }
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
