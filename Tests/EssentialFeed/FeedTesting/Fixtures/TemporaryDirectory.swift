public import Foundation

/// A new, empty folder, which is removed with its contents when this object is deallocated.
public final class TemporaryDirectory: Sendable {
    /// The folder.
    public let url: URL

    /// Creates the folder.
    ///
    /// - Throws: The system's error.
    public init() throws {
        let pattern = FileManager.default.temporaryDirectory.appending(component: "duet-XXXXXX")
        var path = Array(pattern.path.utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let name = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        url = URL(filePath: String(decoding: name, as: UTF8.self), directoryHint: .isDirectory)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// A file or folder within this one, which may not exist.
    public func appending(_ name: String) -> URL {
        url.appending(component: name)
    }

    /// The path of a file or folder within this one, which may not exist; slashes separate folders.
    public func path(_ path: String) -> String {
        url.appending(path: path).path
    }
}
