/// What a container can make, who needs whom, and which handler serves which message.
///
/// As text it is one line for each message and each registration; ``dot`` draws it.
public struct DependencyGraph: Sendable, Equatable {
    /// One thing that can be made.
    public struct Node: Sendable, Equatable {
        /// The type, without its module as long as that tells it apart, and the name it was registered under.
        public let name: String

        /// What is made, where that is another type.
        public let implementation: String?

        /// How long it is used again.
        public let lifetime: Lifetime

        /// Whether its factory takes the scope, so that what it needs is not known.
        public let isOpaque: Bool

        /// What it needs, in the order of its parameters or properties; of a collection, each registration there is.
        public let dependencies: [Edge]

        /// The file and line where it was registered.
        public let location: String
    }

    /// That something is needed.
    public struct Edge: Sendable, Hashable {
        /// How something is needed.
        @nonexhaustive
        public enum Kind: Sendable {
            /// One has to be there.
            case required

            /// There may be none.
            case optional

            /// With all others of its type.
            case collection
        }

        /// The name of what is needed; for an optional of what is in it, registered or not.
        public let name: String

        /// How it is needed.
        public let kind: Kind
    }

    /// A message and who handles it.
    public struct Route: Sendable, Equatable {
        /// Whether the message changes something, or asks.
        public enum Kind: String, Sendable {
            /// The message is a command.
            case command

            /// The message is a query.
            case query
        }

        /// The message's stable name.
        public let message: String

        /// Whether it is a command or a query.
        public let kind: Kind

        /// The name of the handler's node.
        public let handler: String
    }

    /// The messages that the standard dispatcher takes, in the order in which their handlers were listed.
    public let routes: [Route]

    /// Everything that can be made, in the order of registration.
    public let nodes: [Node]
}

extension DependencyGraph {
    init(_ blueprint: Blueprint) {
        let names = Dictionary(
            uniqueKeysWithValues: zip(blueprint.registrations.map(\.key), blueprint.links.names)
        )
        routes = blueprint.handlers.map { handler in
            Route(
                message: handler.messageName,
                kind: handler.kind,
                handler: names[handler.handler] ?? handler.handler.shortName
            )
        }
        func edges(of dependency: Dependency) -> [Edge] {
            if let found = dependency.candidates.first(where: { names[$0] != nil }), let name = names[found] {
                let mayBeMissing = dependency.kind == .optional && found == dependency.key
                return [Edge(name: name, kind: mayBeMissing ? .optional : .required)]
            }
            return switch dependency.kind {
            case .required: [Edge(name: dependency.key.shortName, kind: .required)]
            case .optional: [Edge(name: dependency.key.shortName, kind: .optional)]
            case .collection:
                blueprint.registrations.filter { $0.key.type == dependency.key.type }
                    .map { Edge(name: names[$0.key] ?? $0.key.shortName, kind: .collection) }
            case .scope: []
            }
        }
        nodes = blueprint.registrations.map { registration in
            Node(
                name: names[registration.key] ?? registration.key.shortName,
                implementation: registration.implementation,
                lifetime: registration.lifetime,
                isOpaque: registration.isOpaque,
                dependencies: registration.dependencies.flatMap { edges(of: $0) },
                location: "\(registration.location)"
            )
        }
    }
}

extension Container {
    /// What this container can make, who needs whom, and which handler serves which message.
    public var graph: DependencyGraph { DependencyGraph(core.blueprint) }
}
