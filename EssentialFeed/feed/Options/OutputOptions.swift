public import ArgumentParser
public import FeedPresentation
import Foundation

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for a script.")
    var json = false

    @OptionGroup
    var language: LanguageOptions

    /// Prints a result: as JSON, or as a screen for a person.
    func print(_ result: some Encodable, now: Date, screen: (FeedOutput) -> Void) throws {
        if json {
            try printJSON(result)
        } else {
            screen(FeedOutput(language: language.language, now: now))
            try Terminal.flush()
        }
    }
}

/// The language of what is printed for a person.
struct LanguageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The language of what is printed: en, el or pt-BR.", valueName: "language"))
    var language = Language.english
}

extension Language: ExpressibleByArgument {}
