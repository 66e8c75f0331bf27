import DuetHTTP
import FeedFeature
import Foundation

/// The `feed.json` of a folder of images; other keys, such as an image's license, are ignored.
struct FeedManifest: Decodable {
    struct Item: Decodable {
        let id: UUID
        let description: String?
        let caption: String?
        let location: String?
        let author: String?
        let image: String
        let comments: [Comment]?
    }

    struct Comment: Decodable {
        let id: UUID?
        let message: String
        let username: String
        let created_at: String?
    }

    let items: [Item]

    /// Reads a manifest and checks all of it, so that every fault is found before anything is stored.
    ///
    /// - Throws: ``FeedSeedError``.
    init(contentsOf file: URL) throws {
        do {
            self = try JSONCoder().decode(FeedManifest.self, from: Data(contentsOf: file))
        } catch HTTPMessageError.invalid(let field, let reason) {
            throw FeedSeedError(file: file.path, key: field, reason: reason)
        } catch {
            throw FeedSeedError(file: file.path, key: nil, reason: "cannot be read (\(error.localizedDescription))")
        }
        do {
            try check()
        } catch {
            throw FeedSeedError(file: file.path, key: error.field, reason: error.reason)
        }
    }

    private func check() throws(InvalidMessage) {
        var ids: Set<UUID> = []
        for (index, item) in items.enumerated() {
            guard ids.insert(item.id).inserted else {
                throw InvalidMessage(field: "items[\(index)].id", reason: "is the id of an earlier item, \(item.id)")
            }
        }
        var commentIDs: Set<UUID> = []
        for (index, item) in items.enumerated() {
            for (number, comment) in (item.comments ?? []).enumerated() {
                let key = "items[\(index)].comments[\(number)]"
                if let id = comment.id, !commentIDs.insert(id).inserted {
                    throw InvalidMessage(field: "\(key).id", reason: "is the id of an earlier comment, \(id)")
                }
                if let text = comment.created_at, Date(rfc3339: text) == nil {
                    throw InvalidMessage(
                        field: "\(key).created_at",
                        reason: "must be an ISO 8601 time with an offset, not \(text.quoted)"
                    )
                }
                do {
                    try comment.command(for: item.id, number: number).validate()
                    try checkStorable(comment.message, field: "message")
                    try checkStorable(comment.username, field: "username")
                } catch {
                    let fault = error as? InvalidMessage
                    throw InvalidMessage(
                        field: "\(key).\(fault?.field ?? "message")",
                        reason: fault?.reason ?? "\(error)"
                    )
                }
            }
        }
    }
}

extension FeedManifest.Comment {
    /// Returns the comment as a message.
    ///
    /// A missing id is derived from the image and the comment's number, so it is always the same (a UUID of version 8,
    /// RFC 9562).
    func command(for imageID: UUID, number: Int) -> PostImageComment {
        PostImageComment(
            id: id ?? UUID(derivedFrom: "\(imageID)/comments/\(number)"),
            imageID: imageID,
            message: message,
            username: username
        )
    }
}

extension UUID {
    fileprivate init(derivedFrom name: String) {
        let halves = [Checksum.of("a/\(name)".utf8), Checksum.of("b/\(name)".utf8)]
        let text = halves.map { half in
            let digits = String(half, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let (a, b) = (text[0], text[1])
        let formatted = "\(a.prefix(8))-\(a.dropFirst(8).prefix(4))-8\(a.suffix(3))-8\(b.prefix(3))-\(b.suffix(12))"
        self = UUID(uuidString: formatted) ?? UUID()
    }
}

/// A folder of images, which gives no access to files outside of it.
struct ImageFolder {
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
            throw InvalidMessage(field: "image", reason: "is outside of the folder: \(name.quoted)")
        }
        let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values?.isRegularFile == true else {
            throw InvalidMessage(field: "image", reason: "names a file that does not exist: \(name.quoted)")
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
