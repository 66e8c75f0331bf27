package import Foundation

/// The six file operations of the file store, so that a test can make each of them fail.
package protocol FileAccess: Sendable {
    /// Returns the file's bytes, or nil when there is no such file.
    func contents(of file: URL) throws -> Data?

    /// Writes a file and waits until the bytes are on the disk.
    func write(_ data: Data, to file: URL) throws

    /// Renames a file in one step, replacing any file of the new name.
    func rename(_ file: URL, to other: URL) throws

    /// Removes a file, or a folder with its contents; does nothing when there is none.
    func remove(_ file: URL) throws

    /// Returns the names of the files in a folder.
    func names(in folder: URL) throws -> [String]

    /// Waits until the names in a folder are on the disk.
    func synchronize(_ folder: URL) throws
}

/// Files on the disk.
package struct DiskAccess: FileAccess {
    package init() {}

    package func contents(of file: URL) throws -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        }
    }

    package func write(_ data: Data, to file: URL) throws {
        let descriptor = unsafe open(file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError.last }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
    }

    package func rename(_ file: URL, to other: URL) throws {
        guard unsafe Foundation.rename(file.path, other.path) == 0 else { throw POSIXError.last }
    }

    package func remove(_ file: URL) throws {
        do {
            try FileManager.default.removeItem(at: file)
        } catch CocoaError.fileNoSuchFile {
            return
        }
    }

    package func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    package func synchronize(_ folder: URL) throws {
        let descriptor = unsafe open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError.last }
    }
}

extension POSIXError {
    /// The error of this thread's last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
