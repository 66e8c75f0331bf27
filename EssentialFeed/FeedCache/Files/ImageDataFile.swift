import FeedFeature
import Foundation

/// The bytes of one image as the file store writes them, with the URL that they belong to.
struct ImageDataFile: Codable {
    let url: URL
    let data: Data

    /// The name of the file for a URL: the same in every process, and safe in every file system.
    ///
    /// The checksum of the URL's bytes. Should two URLs share it, the file says whose it is, and the other one is loaded
    /// again.
    static func name(for url: URL) -> String {
        String(Checksum.of(url.absoluteString.utf8), radix: 16) + ".plist"
    }

    /// Whether a file has a name that ``name(for:)`` gives, or is one that was being written.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return UInt64(parts[0], radix: 16) != nil && [["plist"], ["plist", "new"]].contains(Array(parts.dropFirst()))
    }
}
