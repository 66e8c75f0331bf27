import FeedFeature
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
    ///
    /// - Throws: ``CommandError`` when it could not be written; a reader who wants no more is no fault.
    static func flush() throws {
        guard fflush(nil) != 0, errno != EPIPE else { return }
        throw unwritable(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: ``CommandError`` when they could not be written; a reader who wants no more is no fault.
    static func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.code != Int(EPIPE) else { return }
            throw unwritable(error)
        }
    }

    /// Writes to standard error as is; where that is closed or full there is nobody to tell.
    static func writeError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    private static func unwritable(_ error: any Error) -> CommandError {
        CommandError("Standard output cannot be written: \(error.plainReason). Give it a place that takes the results.")
    }

    /// Text that came from elsewhere, without the control characters that would steer the terminal.
    static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        )
    }
}
