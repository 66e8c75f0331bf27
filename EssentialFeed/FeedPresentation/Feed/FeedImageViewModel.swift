public import FeedFeature
public import Foundation

/// One image of the feed as a screen shows it.
public struct FeedImageViewModel: Hashable, Identifiable, Sendable {
    /// The image's id, by which a screen asks for its bytes.
    public let id: UUID

    /// What it shows; nil hides the row.
    public let description: String?

    /// Where it was taken; nil hides the row.
    public let location: String?

    /// What is read to somebody who does not see the image; never empty.
    public let label: String

    /// Presents an image; texts without a visible character count as absent.
    public init(_ image: FeedImage, language: Language) {
        id = image.id
        description = Self.visible(image.description)
        location = Self.visible(image.location)
        label = description ?? location ?? language[.imageUnlabelled]
    }

    private static func visible(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text?.isEmpty == false ? text : nil
    }
}
