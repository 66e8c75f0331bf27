public import ArgumentParser
import Duet
import FeedComposition
public import FeedPresentation
import Foundation
import Logging

/// The format of the results.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Print JSON for scripts; also for errors, on standard error.")
    var json = false

    func print(_ result: @autoclosure () -> JSONObject, text: () -> Void = {}) throws {
        if json { Swift.print(try result().text()) } else { text() }
        try Terminal.flush()
    }

    /// Prints a list as JSON or as a table.
    func printList<Item>(
        _ items: [Item],
        emptyNote note: String,
        columns: [String],
        row: (Item) -> (json: JSONObject, cells: [String])
    ) throws {
        let rows = items.map(row)
        try print(["items": rows.map(\.json)]) {
            guard !rows.isEmpty else { return Terminal.note(note) }
            Table(columns, rows: rows.map(\.cells)).print()
        }
    }

    /// Prints the addresses of running servers as one line of JSON or as text.
    ///
    /// Failures are ignored, because nothing is wrong with the servers.
    func announce(_ addresses: JSONObject, text: String) {
        Swift.print((json ? try? addresses.text(isPretty: false) : nil) ?? "\(text)\n\nPress Ctrl-C to stop.")
        try? Terminal.flush()
    }
}

/// The format and the language of the results.
struct OutputOptions: ParsableArguments {
    @OptionGroup var format: FormatOptions
    @OptionGroup var language: LanguageOptions

    var json: Bool { format.json }

    /// Returns a text in the language of the results, with a value in place of each `%@`.
    func text(_ text: Text, _ value: (any CustomStringConvertible)? = nil) -> String {
        language.language.text(text, value.map { "\($0)" } ?? "%@")
    }

    func print(_ result: @autoclosure () -> JSONObject, now: Date, screen: (FeedOutput) -> Void) throws {
        try format.print(result()) { screen(FeedOutput(language: language.language, now: now)) }
    }
}

struct LanguageOptions: ParsableArguments {
    @Option(
        name: .customLong("language"),
        help: ArgumentHelp(
            "The language of the output. (default: from LC_ALL, LC_MESSAGES or LANG)",
            valueName: "language"
        )
    )
    var choice: Language?

    /// The chosen language, or else that of the environment.
    var language: Language {
        choice ?? Language(localeVariables: ProcessInfo.processInfo.environment)
    }
}

extension Language: ExpressibleByArgument {}

extension DisplayChoice: ExpressibleByArgument {}

/// The amount and the color of the messages about the work.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log each message and request to standard error.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    @Option(help: ArgumentHelp("When to use color. NO_COLOR and CLICOLOR_FORCE change the default.", valueName: "when"))
    var color = DisplayChoice.auto

    func validate() throws {
        if verbose, quiet {
            throw ValidationError("--verbose and --quiet contradict each other. Use one of them only.")
        }
    }

    func environment() -> FeedComposition.Environment {
        var logger = Logger(label: "feed") { _ in
            PlainLogHandler(now: { Date() }, metadataProvider: .requests)
        }
        logger.logLevel = verbose ? .debug : .warning
        return Environment(logger: logger)
    }

    /// Runs `body` with the dispatcher of a client.
    func withDispatcher<Value: Sendable>(
        of client: ClientOptions,
        body: @Sendable (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await FeedClient.withDispatcher(client, environment: environment(), onWarning: Terminal.note, body: body)
    }
}
