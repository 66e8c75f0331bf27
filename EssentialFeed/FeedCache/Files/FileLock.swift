package import Foundation

/// A lock that processes, and instances within one, take on a file.
///
/// The system lets go of it when the process ends, however it ends, so it can never be left behind.
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

    /// Makes a lock.
    ///
    /// - Parameters:
    ///   - file: The file that is locked; it is made if need be and stays.
    ///   - subject: What is protected, for the error message.
    ///   - timeout: How long to wait for others.
    package init(_ file: URL, protecting subject: URL, timeout: Duration) {
        self.file = file
        self.subject = subject
        self.timeout = timeout
    }

    /// Runs `body` while holding the lock.
    ///
    /// It blocks its thread, which therefore must be one that may wait.
    ///
    /// - Throws: ``FeedStoreError/locked(path:after:)``, or ``FeedStoreError/failed(path:underlying:)`` when the file
    ///   cannot be made, or what `body` throws.
    package func withLock<Value>(_ mode: Mode, _ body: () throws -> Value) throws -> Value {
        let descriptor = unsafe open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FeedStoreError.failed(path: file.path, underlying: POSIXError.last) }
        defer { close(descriptor) }
        try lock(descriptor, mode)
        return try body()
    }

    /// The system's own wait has no limit, so this asks again until the attempts are used up.
    private func lock(_ descriptor: Int32, _ mode: Mode) throws {
        let pause = Duration.milliseconds(5)
        // Converted exactly, because a wait of centuries has more attempts than an `Int` can count.
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
