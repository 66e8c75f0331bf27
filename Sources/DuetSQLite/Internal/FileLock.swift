import Foundation

/// A lock that processes, and instances within one, have on a file for as long as it is referred to.
///
/// The system lets go of it when the process ends, however it ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens the file, or makes it, and locks nothing yet.
    init(path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
    }

    deinit {
        close(descriptor)
    }

    /// The lock of a file for this one alone, as soon as nobody else has it; nil when that takes too long.
    static func exclusive(path: String, within timeout: Duration) throws -> FileLock? {
        try attempt(within: timeout) {
            let lock = try FileLock(path: path)
            // Where the file was removed meanwhile, others make and lock another one.
            guard lock.tryExclusive(), FileIdentity(descriptor: lock.descriptor) == FileIdentity(path: path) else {
                return nil
            }
            return lock
        }
    }

    /// Writes what the file is for into a new one, if the disk has room; false when something else is in it.
    func sign(_ signature: Data) -> Bool {
        var content = Data(count: signature.count + 1)
        let count = unsafe content.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { return true }
        let found = content.prefix(count)
        guard found != signature else { return true }
        // A power cut may have left a part of it, or zeros.
        guard signature.starts(with: found) || found.allSatisfy({ $0 == 0 }) else { return false }
        let written = unsafe signature.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, written == signature.count ? off_t(written) : 0)
        return true
    }

    /// Locks it for this one alone, if nobody else has it now.
    func tryExclusive() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Locks it together with others, as soon as nobody has it alone; false when that takes too long.
    func shared(within timeout: Duration) -> Bool {
        Self.attempt(within: timeout) { flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? true : nil } ?? false
    }

    private static func attempt<Value>(within timeout: Duration, _ body: () throws -> Value?) rethrows -> Value? {
        let pause = Duration.milliseconds(5)
        // Converted exactly, because a wait of centuries has more attempts than an `Int` can count.
        var attempts = max(1, Int(exactly: (timeout / pause).rounded(.up)) ?? .max)
        while true {
            if let value = try body() { return value }
            attempts -= 1
            guard attempts > 0 else { return nil }
            // The system's own wait has no limit.
            Thread.sleep(forTimeInterval: pause / .seconds(1))
        }
    }
}

extension POSIXError {
    /// The error that the last system call of this thread left.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
