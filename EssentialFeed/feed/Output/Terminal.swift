import FeedFeature
import Foundation
import Synchronization

/// The terminal: results go to standard output, notes about them to standard error.
enum Terminal {
    /// Whether standard output is a terminal with color; the variable `NO_COLOR` (no-color.org) disables it.
    static var hasColor: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether standard error is a terminal, which can redraw a line.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Prints text, in bold if the terminal has color.
    static func heading(_ text: String) {
        print(hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text)
    }

    /// Writes a line to standard error.
    @Sendable static func note(_ text: String) {
        writeError(text + "\n")
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
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.code != Int(EPIPE) else { return }
            throw unwritable(error)
        }
    }

    /// Writes text to standard error unchanged; failures are ignored, because there is no other place to report them.
    static func writeError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    private static func unwritable(_ error: any Error) -> CommandError {
        CommandError("Standard output cannot be written: \(error.plainReason). Redirect it to a writable place.")
    }

    /// Returns foreign text with its control characters replaced, because they could control the terminal.
    static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        )
    }
}

/// A table, whose columns are as wide as their widest cell.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    init(_ header: String...) {
        self.header = header
    }

    mutating func add(_ cells: String...) {
        rows.append(cells.map(Terminal.safe))
    }

    func print() {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).dropLast().map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return (padded + cells.suffix(1)).joined(separator: "  ")
        }
        Terminal.heading(line(header))
        for row in rows { Swift.print(line(row)) }
    }
}

/// A progress bar on standard error, which is not shown if that is not a terminal.
final class ProgressBar: Sendable {
    private static let width = 30

    private let label: String
    private let isShown: Bool
    private let shownPercent = Mutex(-1)

    init(_ label: String, isShown: Bool = Terminal.showsProgress) {
        self.label = label
        self.isShown = isShown
    }

    /// Updates the bar; it is drawn only when its percentage grows.
    func update(done: Int, total: Int) {
        guard isShown, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        shownPercent.withLock { shown in
            guard percent > shown else { return }
            shown = percent
            let filled = percent * Self.width / 100
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            Terminal.writeError("\r\(label) \(bar) \(done)/\(total)\(percent == 100 ? "\n" : "")")
        }
    }
}

/// A failed command: one or two sentences with the failure and what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
