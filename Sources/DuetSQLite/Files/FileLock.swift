import Foundation

/// The lock beside a database: shared while the database is open, exclusive while it is created, updated or renamed.
///
/// It excludes other processes, and other stores of this one. The system releases it when the process ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens the lock's file, or creates it for its owner alone.
    ///
    /// - Throws: `POSIXError`.
    init(path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        // A lock of an earlier version; the file of another program has content.
        if size == 0 { _ = fchmod(descriptor, 0o600) }
    }

    deinit {
        close(descriptor)
    }

    /// Locks the file for this object alone, and returns whether it succeeded.
    ///
    /// - Throws: `POSIXError`.
    func lockExclusively() throws -> Bool { try lock(LOCK_EX) }

    /// Locks the file together with others, also in place of the exclusive lock, and returns whether it succeeded.
    ///
    /// - Throws: `POSIXError`.
    func lockWithOthers() throws -> Bool { try lock(LOCK_SH) }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    // MARK: Damage

    /// Whether the database is known to be damaged: the file has one byte.
    var isDamageNoted: Bool { size == 1 }

    func noteDamage() {
        if size == 0 { _ = unsafe pwrite(descriptor, "!", 1, 0) }
    }

    func forgetDamage() {
        if size == 1 { _ = ftruncate(descriptor, 0) }
    }

    private var size: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : -1
    }

    private func lock(_ operation: Int32) throws -> Bool {
        if flock(descriptor, operation | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError.last }
        return false
    }
}

extension POSIXError {
    /// The error of this thread's last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
