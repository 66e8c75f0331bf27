import ArgumentParser
import FeedComposition
import Foundation

struct ClusterAddressOptions: ParsableArguments {
    /// The default address of a server of NATS.
    static let standard = "nats://127.0.0.1:4222"

    @Option(
        help: ArgumentHelp(
            "The addresses of the cluster's NATS servers, separated by commas. (default: the variable FEED_CLUSTER)",
            valueName: "urls"
        )
    )
    var cluster: String?

    @Option(help: ArgumentHelp("The name of the cluster, if several share the servers.", valueName: "name"))
    var clusterName = "feed"

    func validate() throws {
        guard clusterName.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
            throw ValidationError("--cluster-name has 1 to 64 letters from A to Z, digits, hyphens and underscores.")
        }
        _ = try servers
    }

    /// The cluster; nil if none was named.
    ///
    /// - Throws: `MissingNATS` if the program was built without it.
    var joined: FeedCluster? {
        get throws { try servers.map { try FeedCluster(servers: $0, name: clusterName) } }
    }

    /// The cluster, by default on this machine.
    ///
    /// - Throws: `MissingNATS` if the program was built without it.
    var named: FeedCluster {
        get throws {
            try FeedCluster(servers: try servers ?? [Self.standard], name: clusterName, timeout: .seconds(3))
        }
    }

    private var servers: [String]? {
        get throws {
            if let cluster { return try Self.split(cluster, "--cluster") }
            // A shell may leave an empty variable behind.
            let variable = TerminalSettings.current.environment["FEED_CLUSTER", default: ""]
            return variable.isEmpty ? nil : try Self.split(variable, "FEED_CLUSTER")
        }
    }

    /// An address may contain a password, so errors do not repeat it.
    private static func split(_ text: String, _ source: String) throws -> [String] {
        let servers = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let areValid = servers.allSatisfy { server in
            guard let url = URL(string: server), let host = url.host() else { return false }
            return ["nats", "tls"].contains(url.scheme?.lowercased()) && !host.isEmpty
                && (0...65_535).contains(url.port ?? 0)
        }
        guard areValid, !servers.isEmpty else {
            throw ValidationError(
                "\(source) needs addresses of NATS servers, separated by commas. Write one like \(standard)"
            )
        }
        return servers
    }
}
