import FeedCache
import FeedTesting
import Foundation
import Synchronization

/// File access with a failing operation; a failed write leaves half of the bytes.
final class FaultyFileAccess: FileAccess {
    enum Kind: Sendable {
        /// One operation fails; the later ones succeed.
        case once
        /// All later operations fail as well, as if the process had ended.
        case fromThenOn
    }

    private struct State {
        var kind = Kind.once
        var remaining: Int?
        var hasFailed = false
    }

    private let disk = DiskAccess()
    private let state = Mutex(State())

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Makes the nth operation from now on fail.
    func fail(_ kind: Kind, at step: Int) {
        state.withLock { $0 = State(kind: kind, remaining: step) }
    }

    func contents(of file: URL) throws -> Data? {
        try step { try disk.contents(of: file) }
    }

    func write(_ data: Data, to file: URL) throws {
        do {
            try step {}
        } catch {
            try disk.write(data.prefix(data.count / 2), to: file)
            throw error
        }
        try disk.write(data, to: file)
    }

    func rename(_ file: URL, to other: URL) throws {
        try step { try disk.rename(file, to: other) }
    }

    func remove(_ file: URL) throws {
        try step { try disk.remove(file) }
    }

    func names(in folder: URL) throws -> [String] {
        try step { try disk.names(in: folder) }
    }

    func synchronize(_ folder: URL) throws {
        try step { try disk.synchronize(folder) }
    }

    private func step<Value>(_ body: () throws -> Value) throws -> Value {
        try state.withLock { state in
            guard let remaining = state.remaining else { return }
            if remaining > 1 {
                state.remaining = remaining - 1
                return
            }
            if state.kind == .once && state.hasFailed { return }
            state.hasFailed = true
            throw AnyError("injected")
        }
        return try body()
    }
}
