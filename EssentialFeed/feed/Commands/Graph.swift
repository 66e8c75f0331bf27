import ArgumentParser
import DuetDependencies
import FeedComposition
import Foundation
import Logging

/// What the application is made of.
struct Graph: ParsableCommand {
    /// How a graph is written.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// Lines for a person.
        case text

        /// The language of Graphviz.
        case dot
    }

    static let configuration = CommandConfiguration(
        abstract: "Print what the page and the backend are made of, and which handler serves which message.",
        discussion: """
            Each is a container whose graph has been checked: nothing is missing, nothing goes round in a ring. Nothing \
            is opened or made.

            A drawing:  feed graph --format dot | dot -Tsvg > graph.svg
            """
    )

    @Option(help: ArgumentHelp("How it is written.", valueName: "format"))
    var format = Format.text

    func run() throws {
        let environment = Environment(
            logger: Logger(label: "feed", factory: { StreamLogHandler.standardError(label: $0) })
        )
        // Where the backend and the database are makes no difference to what needs what.
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
