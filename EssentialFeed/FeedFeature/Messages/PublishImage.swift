public import Duet
public import Foundation

/// Publishes an image at the top of the feed.
///
/// The sender chooses the id, so that publishing the same image again changes nothing.
public struct PublishImage: Command, Hashable, Codable, Validatable {
    /// The maximum length of a description, a caption or a location, in characters.
    public static let textLimit = 2_000

    /// The most bytes of the three texts in an address, a form or JSON, where a character can take twelve.
    package static let encodedTextsLimit = 3 * 12 * textLimit

    /// The image's id.
    public let id: FeedImage.ID

    /// The content of the picture in words.
    public let description: String?

    /// The publisher's words beside the picture.
    public let caption: String?

    /// The place where the image was taken.
    public let location: String?

    /// Whether the command fails if another image of the feed has the same bytes; nil publishes them again, as
    /// senders of earlier versions expect.
    public let refusesDuplicate: Bool?

    /// The bytes of a complete image, as ``ImageFile`` defines it.
    ///
    /// The feed never gets its metadata: senders leave it out before they send, and the backend before it stores.
    public let data: Data

    /// Creates the command.
    public init(
        id: FeedImage.ID,
        description: String? = nil,
        caption: String? = nil,
        location: String? = nil,
        refusesDuplicate: Bool? = nil,
        data: Data
    ) {
        self.id = id
        self.description = description
        self.caption = caption
        self.location = location
        self.refusesDuplicate = refusesDuplicate
        self.data = data
    }

    /// Checks that the bytes are a complete image and that the texts are not too long.
    ///
    /// - Throws: ``InvalidMessage`` that names the field.
    public func validate() throws {
        try Self.check(description: description, caption: caption, location: location)
        _ = try file()
    }

    static func check(description: String?, caption: String?, location: String?) throws(InvalidMessage) {
        for (field, text) in [("description", description), ("caption", caption), ("location", location)] {
            guard (text?.unicodeScalars.count ?? 0) <= textLimit else {
                throw InvalidMessage(field: field, reason: "must have at most \(textLimit) characters")
            }
        }
    }
}

extension PublishImage {
    /// Returns the same command with bytes without metadata, and the file with it.
    ///
    /// - Throws: ``InvalidMessage`` that names the field when the bytes are not a complete image.
    public func withoutMetadata() throws -> (command: PublishImage, original: ImageFile) {
        let file = try file()
        let data = file.withoutMetadata
        let command = PublishImage(
            id: id,
            description: description,
            caption: caption,
            location: location,
            refusesDuplicate: refusesDuplicate,
            data: data
        )
        return (command, file)
    }

    private func file() throws(InvalidMessage) -> ImageFile {
        do {
            return try ImageFile(data)
        } catch {
            throw InvalidMessage(field: "body", reason: error.reason)
        }
    }
}
