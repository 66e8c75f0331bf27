import ArgumentParser
import DuetCluster
import DuetClusterEngine
import FeedComposition

struct Cluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of a cluster, and decide about commands that it could not handle.",
        discussion: """
            "feed serve --cluster" and "feed web --cluster" are the nodes of a cluster on NATS, which \
            "nats-server -js" runs. The cluster keeps a command until a node has handled it. A command that fails \
            several times becomes a dead letter, so that later ones of its image are handled.

            EXAMPLES:
              feed cluster status
              feed cluster status --cluster nats://10.0.0.1:4222,nats://10.0.0.2:4222
              feed cluster dead-letters
              feed cluster dead-letters retry 17
            """,
        subcommands: [Status.self, DeadLetters.self],
        defaultSubcommand: Status.self
    )

    struct Options: ParsableArguments {
        @OptionGroup var address: ClusterAddressOptions
        @OptionGroup var format: FormatOptions
        @OptionGroup var log: LogOptions

        /// Runs `body` with the commands of the cluster.
        ///
        /// - Throws: ``CommandError`` if the cluster cannot be reached.
        func use<Value>(_ body: (any CommandLog) async throws -> Value) async throws -> Value {
            do {
                return try await address.named.use { try await body($0.commands) }
            } catch let error as TransportError where error.isTemporary {
                throw CommandError(
                    "\(error) Start nats-server -js, or choose other servers with --cluster.",
                    status: .unavailable
                )
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how many commands wait, run, run again, and could not be handled.",
            discussion: """
                EXAMPLES:
                  feed cluster status
                  feed cluster status --json

                JSON:
                  {"deadLetters": 1, "partitions": 16, "redelivered": 0, "running": 2,
                   "waiting": 5}
                Waiting commands have not been delivered yet. Redelivered ones are the running commands that were \
                delivered more than once.
                """
        )

        @OptionGroup var options: Options

        func run() async throws {
            let status = try await options.use { log in
                ClusterStatusResult(try await log.statistics(), partitions: log.partitionCount)
            }
            try options.format.print(status) { status.table.print() }
        }
    }
}

package struct ClusterStatusResult: Codable {
    let waiting: Int
    let running: Int
    let redelivered: Int
    let deadLetters: Int
    let partitions: Int

    init(_ statistics: LogStatistics, partitions: Int) {
        waiting = statistics.waiting
        running = statistics.running
        redelivered = statistics.redelivered
        deadLetters = statistics.deadLetters
        self.partitions = partitions
    }

    var table: Table {
        let counts = [
            ("waiting", waiting), ("running", running), ("redelivered", redelivered), ("dead letters", deadLetters),
        ]
        return Table(counts, columns: [Column("COMMANDS", cell: \.0), Column("COUNT") { "\($0.1)" }])
    }
}
