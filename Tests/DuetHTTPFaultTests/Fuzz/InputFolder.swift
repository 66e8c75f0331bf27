import Foundation

/// The folder that holds the input which is being read, and those that something was wrong with.
///
/// An input that ended the process is still there afterwards.
struct InputFolder {
    /// `.build/fuzz` in the package.
    static let standard = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/fuzz")

    private let url: URL
    private let prefix: String
    private let current: URL
    private let handle: FileHandle

    /// Makes the folder where it is not; the names of its files begin with `prefix`.
    init(_ url: URL, prefix: String) throws {
        self.url = url
        self.prefix = prefix
        current = url.appending(path: "\(prefix)-reading-\(ProcessInfo.processInfo.processIdentifier).input")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data().write(to: current)
        handle = try FileHandle(forWritingTo: current)
    }

    /// Holds an input while it is being read.
    func hold(_ input: [UInt8]) throws {
        try handle.truncate(atOffset: 0)
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: Data(input))
    }

    /// Keeps an input, and says where.
    func keep(_ input: [UInt8], number: Int) throws -> URL {
        let file = url.appending(path: "\(prefix)-\(number).input")
        try Data(input).write(to: file)
        return file
    }

    /// Holds nothing any longer.
    func close() {
        try? handle.close()
        try? FileManager.default.removeItem(at: current)
    }
}
