package import Foundation

/// A lock on a file, shared by processes and by instances within one process.
///
/// The system releases it when the process ends, however it ends, so it is never left behind.
package struct FileLock: Sendable {
    package enum Mode: Sendable {
        /// For reading, together with others.
        case shared
        /// For writing, alone.
        case exclusive
    }

    private let file: URL
    private let subject: URL
    private let timeout: Duration

    /// Creates a lock.
    ///
    /// - Parameters:
    ///   - file: The locked file, which is created if necessary and remains.
    ///   - subject: The protected file or folder, for the error message.
    ///   - timeout: How long to wait for others.
    package init(_ file: URL, protecting subject: URL, timeout: Duration) {
        self.file = file
        self.subject = subject
        self.timeout = timeout
    }

    /// Runs `body` while holding the lock.
    ///
    /// It blocks its thread, so call it only where waiting is allowed.
    ///
    /// - Throws: ``FeedStoreError/locked(path:after:)``, or ``FeedStoreError/failed(path:underlying:)`` when the file
    ///   cannot be created, or the error that `body` throws.
    package func withLock<Value>(_ mode: Mode, _ body: () throws -> Value) throws -> Value {
        let descriptor = unsafe open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FeedStoreError.failed(path: file.path, underlying: POSIXError.last) }
        defer { close(descriptor) }
        try lock(descriptor, mode)
        return try body()
    }

    /// Polls, because the system's own wait has no timeout.
    private func lock(_ descriptor: Int32, _ mode: Mode) throws {
        let pause = Duration.milliseconds(5)
        // An exact conversion, because a timeout of centuries has more attempts than an `Int` can hold.
        var attempts = max(1, Int(exactly: (timeout / pause).rounded(.up)) ?? .max)
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        while flock(descriptor, operation) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FeedStoreError.failed(path: file.path, underlying: POSIXError.last)
            }
            attempts -= 1
            guard attempts > 0 else { throw FeedStoreError.locked(path: subject.path, after: timeout) }
            Thread.sleep(forTimeInterval: pause / .seconds(1))
        }
    }
}
