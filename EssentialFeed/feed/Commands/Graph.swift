import ArgumentParser
import DuetDependencies
import FeedComposition
import Foundation
import Logging

/// Prints the application's dependency graphs.
struct Graph: ParsableCommand {
    /// The output format of a graph.
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

            Examples:
              feed graph
              feed graph --format dot | dot -Tsvg > graph.svg
            """
    )

    @Option(help: ArgumentHelp("The output format.", valueName: "format"))
    var format = Format.text

    func run() throws {
        let environment = Environment(
            logger: Logger(label: "feed", factory: { StreamLogHandler.standardError(label: $0) })
        )
        // The graph does not depend on the backend's address or the database's location.
        let client = ClientOptions(remote: try httpURL(RemoteOptions.standard), cache: nil)
        let database = UserFolders.current.data
        let graphs: KeyValuePairs = [
            "page": try Container.page(client, environment: environment, onWarning: Terminal.note).graph,
            "backend": try Container.backend(BackendOptions(database: database), environment: environment).graph,
        ]
        switch format {
        case .text:
            for (title, graph) in graphs {
                Terminal.heading(title)
                print("\(graph)\n")
            }
        case .dot: print(DependencyGraph.dot(graphs))
        }
        try Terminal.flush()
    }
}
