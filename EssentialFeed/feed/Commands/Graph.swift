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

            JSON:
              {"graphs": [{"name", "messages": [{"message", "kind", "handler"}], "registrations":
               [{"name", "implementation"?, "lifetime", "dependencies"}]}]}
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
            "page": try Container.page(client, environment: environment, onWarning: Terminal.note).graph,
            "backend": try Container.backend(BackendOptions(database: database), environment: environment).graph,
        ]
        try output.print(["graphs": graphs.map { $1.json(named: $0) }]) {
            switch format {
            case .text:
                for (title, graph) in graphs {
                    Terminal.heading(title)
                    print("\(graph)\n")
                }
            case .dot: print(DependencyGraph.dot(graphs))
            }
        }
    }
}
