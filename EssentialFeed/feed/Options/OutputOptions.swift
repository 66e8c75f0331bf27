public import ArgumentParser
public import FeedPresentation
import Foundation

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for a script.")
    var json = false

    @OptionGroup
    var language: LanguageOptions
}

/// The language of what is printed for a person.
struct LanguageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The language of what is printed: en, el or pt-BR.", valueName: "language"))
    var language = Language.english
}

extension Language: ExpressibleByArgument {}
