import ArgumentParser
import FeedBackend
import FeedComposition
import FeedFeature
import Foundation
import Logging
import Synchronization
import feed

/// The program within the tests' process, with a separate home folder and the variables of a ``FeedProcess``.
enum FeedCommand {
    /// Runs a command, and returns its exit code and its output.
    ///
    /// A server runs as a process, because it takes the signals and collects the metrics of the process that it is in.
    static func run(
        _ arguments: [String],
        home: URL,
        token: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> FeedProcess.Result {
        let variables = FeedProcess.variables(home: home, token: token, environment)
        let streams = Mutex((output: Data(), error: Data()))
        let settings = TerminalSettings(arguments: arguments, environment: variables) { data, isError in
            streams.withLock { if isError { $0.error += data } else { $0.output += data } }
        }
        let status: Int32? = await TerminalSettings.$current.withValue(settings) {
            let isServer = ["demo", "serve", "web"].contains(arguments.first)
            guard !isServer || (try? Feed.parseAsRoot(arguments)) == nil else { return nil }
            return await Feed.run(arguments)
        }
        guard let status else {
            return try await FeedProcess(arguments, home: home, token: token, environment: environment).finish()
        }
        let (output, error) = streams.withLock { $0 }
        return FeedProcess.Result(
            status: status,
            output: String(decoding: output, as: UTF8.self),
            error: String(decoding: error, as: UTF8.self)
        )
    }

    /// Runs a command, and returns its exit code and its output.
    static func run(_ arguments: String..., home: URL) async throws -> FeedProcess.Result {
        try await run(arguments, home: home)
    }
}

/// Runs `body` with the address of a backend in the tests' process, whose database is that of the program.
func withBackend<Value>(
    home: URL,
    seed: BackendOptions.Seed = .nothing,
    closedComments: Bool = false,
    commentsPerMinute: Int = BackendModule.commentsPerMinute,
    body: (_ remote: String) async throws -> Value
) async throws -> Value {
    let options = BackendOptions(
        port: 0,
        database: home.appending(path: "data/essential-feed/backend.sqlite"),
        closedComments: closedComments,
        commentsPerMinute: commentsPerMinute,
        seed: seed,
        resizesImages: false
    )
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let servers = FeedServers(environment: FeedComposition.Environment(logger: logger))
    let (addresses, announcement) = AsyncStream.makeStream(of: URL.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { announcement.finish() }
            try await servers.runBackend(options, progress: { _, _ in }) { announcement.yield($0) }
        }
        guard let address = await addresses.first(where: { _ in true }) else {
            try await group.waitForAll()
            throw CancellationError()
        }
        let value = try await body(address.absoluteString)
        group.cancelAll()
        do { try await group.waitForAll() } catch is CancellationError {}
        return value
    }
}
