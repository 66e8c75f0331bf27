public import ArgumentParser
import Duet
import FeedComposition
public import FeedPresentation
import Foundation
import Logging

struct FormatOptions: ParsableArguments {
    @Flag(help: "Print JSON for scripts; also for errors, on standard error.")
    var json = false

    func print<Result: Encodable>(_ result: @autoclosure () -> Result, text: () -> Void = {}) throws {
        if json { Terminal.print(try result().json()) } else { text() }
        try Terminal.flush()
    }

    func print<Item>(_ list: ListResult<Item>, columns: [Column<Item>], emptyNote note: String) throws {
        try print(list) {
            guard !list.items.isEmpty else { return Terminal.note(note) }
            Table(list.items, columns: columns).print()
        }
    }

    /// Prints the addresses of running servers as one line of JSON or as text.
    ///
    /// Failures are ignored, because nothing is wrong with the servers.
    func announce(_ addresses: ServerAddresses, text: String) {
        Terminal.print((json ? try? addresses.json(isPretty: false) : nil) ?? "\(text)\n\nPress Ctrl-C to stop.")
        try? Terminal.flush()
    }
}

package struct ListResult<Item: Codable>: Codable {
    let items: [Item]
}

package struct ServerAddresses: Codable {
    var backend: URL?
    var page: URL?
    var inspect: URL?
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

    func print<Result: Encodable>(
        _ result: @autoclosure () -> Result,
        now: Date,
        screen: (FeedOutput) -> Void
    ) throws {
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
        choice ?? Language(localeVariables: TerminalSettings.current.environment)
    }
}

extension Language: ExpressibleByArgument {}

extension ColorChoice: ExpressibleByArgument {}

/// The amount and the color of the messages about the work.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log each message and request to standard error.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    @Option(help: ArgumentHelp("When to use color. NO_COLOR and CLICOLOR_FORCE change the default.", valueName: "when"))
    var color = ColorChoice.auto

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

    func withDispatcher<Value: Sendable>(
        of client: ClientOptions,
        body: @Sendable (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await FeedClient.withDispatcher(client, environment: environment(), onWarning: Terminal.warning, body: body)
    }
}
