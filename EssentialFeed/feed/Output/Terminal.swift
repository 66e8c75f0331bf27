import Duet
import FeedFeature
import Foundation

/// The terminal: results go to standard output, notes about them to standard error.
enum Terminal {
    enum Style: String {
        case bold = "1"
        case red = "31"
        case yellow = "33"
        case boldRed = "1;31"
    }

    static var isInteractive: Bool { isTerminal(STDOUT_FILENO) }

    private static func isTerminal(_ descriptor: Int32) -> Bool {
        TerminalSettings.current.output == nil && isatty(descriptor) == 1
    }

    /// The width of the terminal at standard output in columns; nil for a pipe or a file, which has no width.
    static var width: Int? {
        guard isInteractive else { return nil }
        var size = winsize()
        if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return TerminalSettings.current.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    /// Prints a line to standard output.
    static func print(_ text: String) {
        guard let output = TerminalSettings.current.output else { return Swift.print(text) }
        output(Data("\(text)\n".utf8), false)
    }

    /// Prints text, in bold if the output has color.
    static func heading(_ text: String) {
        print(styled(text, .bold))
    }

    /// Returns text for standard output, in a style if the output has color.
    static func styled(_ text: String, _ style: Style) -> String {
        apply(style, to: text, descriptor: STDOUT_FILENO)
    }

    /// Writes a warning as ``note(_:_:)`` does, also outside of the command's task.
    static var warning: @Sendable (_ text: String) -> Void {
        let settings = TerminalSettings.current
        return { text in TerminalSettings.$current.withValue(settings) { note(text) } }
    }

    /// Writes a line to standard error, unless the user wants results only.
    static func note(_ text: String, _ style: Style? = nil) {
        guard !TerminalSettings.current.isQuiet else { return }
        writeError(apply(style, to: text.safe(), descriptor: STDERR_FILENO) + "\n")
    }

    /// Writes a line about work that takes a while, if standard error is a terminal.
    static func progress(_ label: String, done: Int, total: Int) {
        guard isTerminal(STDERR_FILENO), done < total else { return }
        note("\(label): \(done) of \(total)")
    }

    /// Writes an error to standard error, on one line unless it explains the usage.
    static func error(_ text: String, isUsage: Bool = false) {
        let lines = isUsage ? text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) : []
        let safe = isUsage ? lines.map { String($0).safe() }.joined(separator: "\n") : text.safe()
        writeError("\(apply(.boldRed, to: "Error:", descriptor: STDERR_FILENO)) \(safe)\n")
    }

    /// Writes the printed text at once, because the output to a pipe is buffered.
    ///
    /// - Throws: ``CommandError`` when it cannot be written. A closed pipe is not an error.
    static func flush() throws {
        guard fflush(nil) != 0, errno != EPIPE else { return }
        throw unwritable(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: ``CommandError`` when they cannot be written. A closed pipe is not an error.
    static func write(_ data: Data) throws {
        if let output = TerminalSettings.current.output { return output(data, false) }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.code != Int(EPIPE) else { return }
            throw unwritable(error)
        }
    }

    /// Reads standard input to its end.
    ///
    /// - Throws: ``CommandError`` when it cannot be read, or when it is a terminal.
    static func read() throws -> Data {
        guard isatty(STDIN_FILENO) == 0 else {
            throw CommandError("Standard input is a terminal. Pipe something into it, or redirect it from a file.")
        }
        do {
            return try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw CommandError("Standard input cannot be read: \(error.plainReason). Redirect it from a file.")
        }
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// - Parameter advice: A sentence about the file to choose, for one that cannot be read.
    /// - Throws: ``CommandError``.
    static func read(_ file: String, advice: String) throws -> Data {
        guard file != "-" else { return try read() }
        do {
            return try Data(contentsOf: URL(filePath: file))
        } catch {
            throw CommandError("\(file) cannot be read: \(error.plainReason). \(advice)")
        }
    }

    /// Writes text to standard error unchanged; failures are ignored, because there is no other place to report them.
    static func writeError(_ text: String) {
        if let output = TerminalSettings.current.output { return output(Data(text.utf8), true) }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    private static func apply(_ style: Style?, to text: String, descriptor: Int32) -> String {
        guard let style, TerminalSettings.current.hasColor(isTerminal: isTerminal(descriptor)) else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    private static func unwritable(_ error: any Error) -> CommandError {
        CommandError("Standard output cannot be written: \(error.plainReason). Redirect it to a writable place.")
    }
}
