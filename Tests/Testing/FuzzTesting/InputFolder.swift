package import Foundation
import TestSupport

/// The folder of the current input, and of those that were read wrongly.
///
/// An input that ended the process is still there afterwards.
package struct InputFolder {
    /// `.build/fuzz` in the package.
    package static let standard = projectFile(".build/fuzz")

    private let url: URL
    private let prefix: String
    private let current: URL
    private let handle: FileHandle

    /// Creates the folder if it does not exist; the names of its files begin with `prefix`.
    init(_ url: URL, prefix: String) throws {
        self.url = url
        self.prefix = prefix
        current = url.appending(path: "\(prefix)-reading-\(ProcessInfo.processInfo.processIdentifier).input")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data().write(to: current)
        handle = try FileHandle(forWritingTo: current)
    }

    /// Stores an input while it is read.
    func hold(_ input: [UInt8]) throws {
        try handle.truncate(atOffset: 0)
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: Data(input))
    }

    /// Keeps an input, and returns its file.
    func keep(_ input: [UInt8], number: Int) throws -> URL {
        let file = url.appending(path: "\(prefix)-\(number).input")
        try Data(input).write(to: file)
        return file
    }

    /// Removes the current input.
    func close() {
        try? handle.close()
        try? FileManager.default.removeItem(at: current)
    }
}
