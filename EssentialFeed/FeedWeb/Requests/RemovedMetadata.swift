import FeedFeature
import Hummingbird

/// The metadata that was removed from a published image, as the parameter of the feed's page that says so.
struct RemovedMetadata {
    private static let name = "removed"

    /// The longest list of kinds.
    private static let limit = ImageMetadata.allCases.map { $0.rawValue.utf8.count + 1 }.reduce(0, +)

    let kinds: Set<ImageMetadata>

    init(_ kinds: Set<ImageMetadata>) {
        self.kinds = kinds
    }

    init(_ request: Request) {
        let text = Form(query: request.uri.query ?? "")[Self.name]
        guard text.utf8.count <= Self.limit else {
            self.init([])
            return
        }
        self.init(Set(text.split(separator: ".").compactMap { ImageMetadata(rawValue: String($0)) }))
    }

    var parameters: [String: String] {
        guard !kinds.isEmpty else { return [:] }
        let names = ImageMetadata.allCases.filter(kinds.contains).map(\.rawValue)
        return [Self.name: names.joined(separator: ".")]
    }
}
