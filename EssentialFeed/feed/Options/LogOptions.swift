import ArgumentParser
import FeedComposition
import Logging

/// How much is logged.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log what happens, to standard error.")
    var verbose = false

    func environment() -> FeedComposition.Environment {
        var logger = Logger(label: "feed", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = verbose ? .debug : .warning
        return Environment(logger: logger)
    }
}
