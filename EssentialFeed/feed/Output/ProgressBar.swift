import Foundation
import Synchronization

/// A progress bar on standard error, which is not shown if that is not a terminal.
///
/// It is cleared when it is complete, when the work fails, and when the user interrupts the program.
final class ProgressBar: Sendable {
    private struct State {
        var percent = -1
        var isShown = false
    }

    private static let maximumWidth = 30
    private static let minimumWidth = 5

    private let label: String
    private let isEnabled: Bool
    private let state = Mutex(State())

    init(_ label: String, isEnabled: Bool = Terminal.showsProgress) {
        self.label = label
        self.isEnabled = isEnabled
    }

    /// Updates the bar; it is drawn only when its percentage grows.
    func update(done: Int, total: Int) {
        guard isEnabled, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        state.withLock { state in
            guard percent > state.percent else { return }
            state.percent = percent
            if percent == 100 {
                Self.clear(&state)
            } else {
                if !state.isShown { Self.clearOnInterruption() }
                state.isShown = true
                let width = Terminal.width(of: STDERR_FILENO) ?? 80
                Terminal.writeError("\r" + Self.line(label, done: done, total: total, width: width) + "\u{1B}[K")
            }
        }
    }

    /// Removes the bar from the screen, if it is there.
    func clear() {
        state.withLock { Self.clear(&$0) }
    }

    /// Returns the bar's text, which leaves the last column free, because some terminals would begin a new line.
    static func line(_ label: String, done: Int, total: Int, width: Int) -> String {
        let count = "\(done)/\(total)"
        let space = min(maximumWidth, width - 3 - label.columns - count.columns)
        guard space >= minimumWidth else { return count.truncated(to: max(0, width - 1)) }
        let filled = min(space, done * space / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: space - filled)
        return "\(label) \(bar) \(count)"
    }

    private static func clear(_ state: inout State) {
        guard state.isShown else { return }
        state.isShown = false
        for number in interruptions { handle(number, with: SIG_DFL) }
        Terminal.writeError("\r\u{1B}[K")
    }

    private static let interruptions = [SIGINT, SIGTERM]

    /// Clears the line before a signal ends the program.
    private static func clearOnInterruption() {
        for number in interruptions {
            // A signal handler may use only functions that POSIX declares safe for it; these three are.
            handle(
                number,
                with: { number in
                    let clear: StaticString = "\r\u{1B}[K"
                    _ = unsafe write(STDERR_FILENO, clear.utf8Start, clear.utf8CodeUnitCount)
                    _ = signal(number, SIG_DFL)
                    _ = raise(number)
                }
            )
        }
    }

    /// Sets the handler of a signal, unless the signal is ignored, as in a script's background process.
    private static func handle(_ number: Int32, with handler: (@convention(c) (Int32) -> Void)?) {
        let previous = signal(number, handler)
        if unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            _ = signal(number, SIG_IGN)
        }
    }
}
