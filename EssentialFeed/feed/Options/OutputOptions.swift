public import ArgumentParser
import FeedComposition
public import FeedPresentation
import Foundation
import Logging

/// The format and the language of the results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for scripts.")
    var json = false

    @OptionGroup
    var language: LanguageOptions

    /// Prints a result as JSON or as a screen of text.
    func print(_ result: some Encodable, now: Date, screen: (FeedOutput) -> Void) throws {
        if json {
            try printJSON(result)
        } else {
            screen(FeedOutput(language: language.language, now: now))
            try Terminal.flush()
        }
    }
}

/// The language of the texts.
struct LanguageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The language of the output.", valueName: "language"))
    var language = Language.english
}

extension Language: ExpressibleByArgument {}

/// The log's level of detail.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log each message and request to standard error.")
    var verbose = false

    func environment() -> FeedComposition.Environment {
        var logger = Logger(label: "feed", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = verbose ? .debug : .warning
        return Environment(logger: logger)
    }
}
