import ArgumentParser
import DuetDependencies
import FeedComposition
import Foundation

struct Graph: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// Plain text.
        case text

        /// The DOT language of Graphviz.
        case dot
    }

    static let configuration = CommandConfiguration(
        abstract: "Print the dependencies of the page and the backend, and the handler of each message.",
        discussion: """
            The page and the backend have one container each. Its graph has no missing dependencies and no cycles. The \
            command opens and creates nothing.

            EXAMPLES:
              feed graph
              feed graph --format dot | dot -Tsvg > graph.svg

            JSON; "implementation" only of a type that is registered as another one:
              {"graphs": [{"messages": [{"handler": "LoadFeedHandler", "kind": "query",
                                         "message": "FeedFeature.LoadFeed"}],
                           "name": "page",
                           "registrations": [{"dependencies": ["Logger"],
                                              "implementation": "NIOHTTPClient",
                                              "lifetime": "singleton",
                                              "name": "HTTPClient"}]}]}
            """
    )

    @Option(help: ArgumentHelp("The output format.", valueName: "format"))
    var format = Format.text

    @OptionGroup var output: FormatOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        if output.json, format == .dot {
            throw ValidationError("--json and --format dot contradict each other. Use one of them only.")
        }
    }

    func run() throws {
        let environment = log.environment()
        // The graph does not depend on the backend's address or the database's location.
        let client = ClientOptions(remote: try httpURL(RemoteOptions.standard), cache: nil)
        let database = UserFolders.current.data
        let graphs: KeyValuePairs = [
            "page": try Container.page(client, environment: environment, onWarning: Terminal.warning).graph,
            "backend": try Container.backend(BackendOptions(database: database), environment: environment).graph,
        ]
        try output.print(GraphResult(graphs: graphs.map { .init($1, name: $0) })) {
            switch format {
            case .text:
                for (title, graph) in graphs {
                    Terminal.heading(title)
                    Terminal.print("\(graph)\n")
                }
            case .dot: Terminal.print(DependencyGraph.dot(graphs))
            }
        }
    }
}

package struct GraphResult: Codable {
    struct Graph: Codable {
        struct Message: Codable {
            let message: String
            let kind: String
            let handler: String
        }

        struct Registration: Codable {
            let name: String
            let implementation: String?
            let lifetime: String
            let dependencies: [String]
        }

        let name: String
        let messages: [Message]
        let registrations: [Registration]

        init(_ graph: DependencyGraph, name: String) {
            self.name = name
            messages = graph.routes.map {
                Message(message: $0.message, kind: $0.kind.rawValue, handler: $0.handler)
            }
            registrations = graph.nodes.map {
                Registration(
                    name: $0.name,
                    implementation: $0.implementation,
                    lifetime: $0.lifetime.rawValue,
                    dependencies: $0.dependencies.map(\.name)
                )
            }
        }
    }

    let graphs: [Graph]
}
