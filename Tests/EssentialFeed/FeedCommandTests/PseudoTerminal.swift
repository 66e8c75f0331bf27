import Foundation
import Synchronization
import Testing

/// A terminal of a fixed size, which records everything that a program writes to it.
final class PseudoTerminal {
    /// The terminal's device.
    let path: String

    /// The shell's redirection of all output to this terminal.
    var redirection: String { ">\(path) 2>&1" }

    private let controlled: Int32
    private let recorder: Recorder

    /// Opens a terminal with a number of columns.
    init(columns: UInt16) throws {
        var (controlling, controlled): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var name = [CChar](repeating: 0, count: 128)
        let isOpen = unsafe openpty(&controlling, &controlled, &name, nil, &size) == 0
        try #require(isOpen)
        self.controlled = controlled
        // A program of another test must not keep the terminal open.
        for end in [controlling, controlled] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        recorder = Recorder(reading: controlling)
    }

    /// Closes the terminal, and returns all text that was written to it, with the terminal's line ends.
    func finish() async -> String {
        close(controlled)
        await recorder.end()
        return recorder.text
    }
}

/// Reads a terminal until its last writer has closed it.
private final class Recorder: Sendable {
    private let bytes = Mutex(Data())
    private let ended = AsyncStream.makeStream(of: Void.self)

    init(reading end: Int32) {
        // Reading blocks its thread.
        DispatchQueue(label: "terminal").async { [self] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe read(end, &buffer, buffer.count)
                guard count > 0 else { break }
                let part = buffer.prefix(count)
                bytes.withLock { $0 += part }
            }
            close(end)
            ended.continuation.finish()
        }
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    func end() async {
        for await _ in ended.stream {}
    }
}
