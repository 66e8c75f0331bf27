public import Duet
public import Foundation

/// Changes texts of an image: nil leaves a text as it is, and an empty text removes it.
///
/// Two commands that change different texts of one image therefore keep both changes.
public struct CorrectImage: Command, Hashable, Codable, Validatable {
    /// The image.
    public let id: FeedImage.ID

    /// The content of the picture in words.
    public let description: String?

    /// The publisher's words beside the picture.
    public let caption: String?

    /// The place where the image was taken.
    public let location: String?

    /// Creates the command.
    public init(id: FeedImage.ID, description: String? = nil, caption: String? = nil, location: String? = nil) {
        self.id = id
        self.description = description
        self.caption = caption
        self.location = location
    }

    /// Checks that the texts are not too long.
    ///
    /// - Throws: ``InvalidMessage`` that names the field.
    public func validate() throws {
        try PublishImage.check(description: description, caption: caption, location: location)
    }
}
