import Foundation

/// Where a person reads: results on standard output, everything about them on standard error.
enum Terminal {
    /// Whether standard output is a terminal that shows colour; NO_COLOR (no-color.org) turns it off.
    static var hasColor: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether standard error is a terminal.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Prints text, bold where there is colour.
    static func heading(_ text: String) {
        print(hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text)
    }

    /// Writes a line about the results.
    @Sendable static func note(_ text: String) {
        writeError(text + "\n")
    }

    /// Hands on at once what has been printed: a pipe would hold it back until its buffer is full.
    static func flush() {
        fflush(nil)
    }

    /// Writes to standard error as is.
    static func writeError(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Text that came from elsewhere, without the control characters that would steer the terminal.
    static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        )
    }
}
