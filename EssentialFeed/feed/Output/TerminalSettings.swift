package import Foundation

enum ColorChoice: String, CaseIterable {
    /// If the terminal supports it.
    case auto

    /// Also in a pipe or a file.
    case always

    /// Nowhere.
    case never
}

/// The settings of the output, which are also needed when the arguments cannot be parsed.
///
/// They are therefore read from the plain arguments; the commands declare the same options for the help.
package struct TerminalSettings: Sendable {
    /// Receives what is written to standard output or, with `isError`, to standard error.
    package typealias Output = @Sendable (_ data: Data, _ isError: Bool) -> Void

    /// Those of the process, unless a test runs commands with its own.
    @TaskLocal package static var current = TerminalSettings(
        arguments: Array(ProcessInfo.processInfo.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment
    )

    let arguments: [String]

    let color: ColorChoice

    /// Whether to print only results and errors.
    let isQuiet: Bool

    /// Whether results and errors are JSON.
    let isJSON: Bool

    let environment: [String: String]

    /// Receives the output in place of the process's streams; nil for these.
    let output: Output?

    package init(arguments: [String], environment: [String: String], output: Output? = nil) {
        self.arguments = arguments
        self.output = output
        let options = arguments.prefix { $0 != "--" }
        let colors = options.indices.compactMap { index -> ColorChoice? in
            let option = options[index]
            if option == "--color" { return options.dropFirst(index + 1).first.flatMap(ColorChoice.init) }
            return option.hasPrefix("--color=") ? ColorChoice(rawValue: String(option.dropFirst(8))) : nil
        }
        color = colors.last ?? .auto
        isQuiet = options.contains { $0 == "--quiet" || $0.wholeMatch(of: /-[vq]*q[vq]*/) != nil }
        isJSON = options.contains("--json")
        self.environment = environment
    }

    /// Whether a stream has color.
    ///
    /// `NO_COLOR` is defined by no-color.org, `CLICOLOR_FORCE` by bixense.com/clicolors. The option wins over both.
    func hasColor(isTerminal: Bool) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto:
            if isSet("NO_COLOR") {
                false
            } else if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" {
                true
            } else {
                // A dumb terminal cannot interpret control sequences.
                isTerminal && environment["TERM"] != "dumb"
            }
        }
    }

    private func isSet(_ variable: String) -> Bool {
        !environment[variable, default: ""].isEmpty
    }
}
