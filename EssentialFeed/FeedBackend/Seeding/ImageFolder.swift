import FeedFeature
import Foundation

/// A folder of images, which gives no access to files outside of it.
struct ImageFolder {
    /// The file that lists the images.
    let manifest: URL

    private let root: String

    init(_ folder: URL) {
        manifest = folder.appending(path: "feed.json")
        root = folder.resolvingSymlinksInPath().path
    }

    /// Returns the bytes of the image of a name.
    ///
    /// - Throws: `InvalidMessage` about the field `image`.
    func data(named name: String) throws -> Data {
        guard !name.isEmpty, !name.hasPrefix("/"), !name.utf8.contains(0) else {
            throw InvalidMessage(field: "image", reason: "must be the name of a file in the folder, not \(name.quoted)")
        }
        // Resolved first, because the target of a link or of a path with dots decides.
        let file = URL(filePath: root).appending(path: name).resolvingSymlinksInPath()
        guard file.path.hasPrefix(root + "/") else {
            throw InvalidMessage(field: "image", reason: "leads out of the folder: \(name.quoted)")
        }
        let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values?.isRegularFile == true else {
            throw InvalidMessage(field: "image", reason: "names a file that is not there: \(name.quoted)")
        }
        guard values?.fileSize ?? 0 <= FeedSeeder.imageLimit else {
            throw InvalidMessage(field: "image", reason: "names a file of more than \(FeedSeeder.imageLimit) bytes")
        }
        do {
            return try Data(contentsOf: file)
        } catch {
            throw InvalidMessage(field: "image", reason: "cannot be read (\(error.localizedDescription))")
        }
    }
}

extension String {
    /// The text for an error message: only its beginning, and the word "empty" for an empty text.
    var quoted: String { isEmpty ? "empty" : String(prefix(64)) }
}
