import Foundation
import Testing

/// A lock on a file as the store has one, until it is let go of.
final class HeldLock: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // A process that is just being started has all locks of this one for a moment.
        try #require(flock(descriptor, LOCK_EX) == 0)
    }

    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}
