import Foundation

/// Which file it is, whatever it is called: another one has another identity.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let file: UInt64

    /// The file at a path; nil when there is none.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file that is open.
    init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        file = UInt64(status.st_ino)
    }
}
