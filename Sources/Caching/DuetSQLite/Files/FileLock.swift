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
    }

    deinit { close(descriptor) }

    /// Locks the file, also in place of an earlier lock, and returns whether it succeeded.
    func lock(_ operation: Int32) throws -> Bool {
        if flock(descriptor, operation | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError.last }
        return false
    }

    /// Whether the database was found to be damaged while it was open: the file has one byte.
    var notesDamage: Bool {
        get { lseek(descriptor, 0, SEEK_END) == 1 }
        // Another program's file, which has content, stays as it is.
        set { if lseek(descriptor, 0, SEEK_END) == (newValue ? 0 : 1) { _ = ftruncate(descriptor, newValue ? 1 : 0) } }
    }
}

extension POSIXError {
    /// The error of this thread's last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
