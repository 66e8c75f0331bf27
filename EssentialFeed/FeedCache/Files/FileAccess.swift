package import Foundation

/// The six things that the file store does with files, so that a test can have each of them fail.
package protocol FileAccess: Sendable {
    /// The file's bytes, or nil when there is no such file.
    func contents(of file: URL) throws -> Data?

    /// Writes a file and waits until the bytes are on the disk.
    func write(_ data: Data, to file: URL) throws

    /// Gives a file another name in one step, in place of any file of that name.
    func rename(_ file: URL, to other: URL) throws

    /// Removes a file, or a folder with what is in it; does nothing when there is none.
    func remove(_ file: URL) throws

    /// The names of the files in a folder.
    func names(in folder: URL) throws -> [String]

    /// Waits until the names in a folder are on the disk.
    func synchronize(_ folder: URL) throws
}
