import FeedFeature
import FeedPresentation
import Hummingbird

/// The images that were just published, as the parameters of the page of the feed that reports them.
struct PublishingOutcome {
    private static let metadataName = "removed"

    /// The longest list of kinds.
    private static let limit = ImageMetadata.allCases.map { $0.rawValue.utf8.count + 1 }.reduce(0, +)

    /// The number of images, if the script has published several.
    private let count: Int?

    private let removed: Set<ImageMetadata>

    init(removed: Set<ImageMetadata>) {
        count = nil
        self.removed = removed
    }

    init(_ request: Request) {
        let form = request.query
        let kinds = form[Self.metadataName]
        removed =
            kinds.utf8.count <= Self.limit
            ? Set(kinds.split(separator: ".").compactMap { ImageMetadata(rawValue: String($0)) }) : []
        count = UInt16(form["published"]).map(Int.init)
    }

    var parameters: [String: String] {
        guard !removed.isEmpty else { return [:] }
        let names = ImageMetadata.allCases.filter(removed.contains).map(\.rawValue)
        return [Self.metadataName: names.joined(separator: ".")]
    }

    /// Returns the sentences for the reader; nil if there is nothing to say.
    func text(in language: Language) -> String? {
        let sentences = [count.map { language.text(.publishCount, $0) }, language.removedText(removed)]
        let text = sentences.compactMap(\.self).joined(separator: ". ")
        return text.isEmpty ? nil : text
    }
}
