package import Foundation

extension POSIXError {
    /// The error that the last system call of this thread left.
    package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
