import DuetDependencies

/// The handlers of the messages, and everything that they depend on.
struct HandlerSection {
    struct Link {
        let name: String
        /// Nil for a type that is not registered.
        let anchor: String?
        let note: String?
    }

    struct Route {
        let message: MessageName
        let kind: String
        let handler: Link
        let dependencies: [Link]
    }

    struct Registration {
        let anchor: String
        let name: String
        let implementation: String?
        let lifetime: String
        let isOpaque: Bool
        let dependencies: [Link]
    }

    let routes: [Route]
    let registrations: [Registration]

    init(_ graph: DependencyGraph) {
        let anchors = Dictionary(
            graph.nodes.enumerated().map { ($1.name, "registration-\($0)") },
            uniquingKeysWith: { first, _ in first }
        )
        func links(_ edges: [DependencyGraph.Edge]) -> [Link] {
            edges.map { edge in
                let note: String? =
                    switch edge.kind {
                    case .optional: "optional"
                    case .collection: "one of several"
                    default: nil
                    }
                return Link(name: edge.name, anchor: anchors[edge.name], note: note)
            }
        }
        let dependencies = Dictionary(
            graph.nodes.map { ($0.name, links($0.dependencies)) },
            uniquingKeysWith: { first, _ in first }
        )
        routes = graph.routes.map { route in
            Route(
                message: MessageName(route.message),
                kind: route.kind.rawValue,
                handler: Link(name: route.handler, anchor: anchors[route.handler], note: nil),
                dependencies: dependencies[route.handler] ?? []
            )
        }
        registrations = graph.nodes.enumerated().map { index, node in
            Registration(
                anchor: "registration-\(index)",
                name: node.name,
                implementation: node.implementation,
                lifetime: "\(node.lifetime)",
                isOpaque: node.isOpaque,
                dependencies: dependencies[node.name] ?? []
            )
        }
    }
}
