import FeedFeature
import Foundation

/// The attributes of an image's element: the addresses of its bytes, and its shape before they arrive.
struct Picture {
    /// Where an image is shown.
    enum Place {
        /// Among others, at the width of a card.
        case feed(isLazy: Bool)
        /// Alone, within the window.
        case stage
    }

    /// The width of the version for cards, and for browsers that choose none, in pixels.
    private static let cardWidth = 480

    /// The width of the version for an image's page and for previews elsewhere, in pixels.
    private static let pageWidth = 960

    /// The address of one version, or of the original if there are none; nil for an animation without a still version.
    let address: String?
    /// The addresses of the versions with their widths, in the feed without the widest; nil without versions.
    let sources: String?
    /// The width at which the image is shown, for the browser's choice; nil without versions.
    let sizes: String?
    /// The address of the original.
    let original: String
    /// Whether the original moves, so that only the reader starts it.
    let isAnimated: Bool
    /// The size in pixels; nil if it is unknown.
    let width: Int?
    let height: Int?
    /// The style's class for the ratio; nil for images of unknown size.
    let shape: String?
    /// The color in place of the image while it is loaded.
    let color: String?

    init(_ image: FeedImage, in place: Place) {
        let limit =
            switch place {
            case .feed: Self.cardWidth
            case .stage: Self.pageWidth
            }
        isAnimated = image.isAnimated
        address = isAnimated && image.versions.isEmpty ? nil : ImageAddress(image, upTo: limit).path
        let versions =
            switch place {
            // Between a sharper picture and a quick one, a card is for the quick one.
            case .feed: image.versions.filter { $0.width <= Self.pageWidth }
            case .stage: image.versions
            }
        sources =
            versions.isEmpty
            ? nil
            : versions.map { "\(ImageAddress(image, $0).path) \($0.width)w" }.joined(separator: ", ")
        original = ImageAddress(image).path
        width = image.size?.width
        height = image.size?.height
        shape = image.size.map { Shape($0).name }
        color = image.color?.description
        sizes = versions.isEmpty ? nil : Self.sizes(of: image, in: place)
    }

    private static func sizes(of image: FeedImage, in place: Place) -> String {
        let ratio = Shape(image.size).hundredths
        return switch place {
        // Rows are about 24 % of the window high, and on a phone each image has its own.
        case .feed(let isLazy):
            "\(isLazy ? "auto, " : "")(max-width: 40rem) 100vw, min(\(ratio * 24 / 100)vw, \(ratio * 24 / 100)rem)"
        case .stage:
            "min(100vw, \(ratio * 86 / 100)vh\(image.size.map { ", \($0.width)px" } ?? ""))"
        }
    }

    /// The path of the version that represents an image elsewhere.
    static func preview(of image: FeedImage) -> String {
        ImageAddress(image, upTo: pageWidth).path
    }
}

/// The address of an image's bytes, which changes with the location of the bytes.
struct ImageAddress {
    let path: String

    /// The original.
    init(_ image: FeedImage) {
        path = "/images/\(image.id)/data?v=\(Self.version(of: image.url.absoluteString))"
    }

    init(_ image: FeedImage, _ version: ImageVersion) {
        let checksum = Self.version(of: version.url.absoluteString)
        path = "/images/\(image.id)/data?width=\(version.width)&v=\(checksum)"
    }

    /// The largest version up to a width, or else the smallest one; the original if there are none.
    init(_ image: FeedImage, upTo width: Int) {
        if let version = image.versions.last(where: { $0.width <= width }) ?? image.versions.first {
            self.init(image, version)
        } else {
            self.init(image)
        }
    }

    /// A short text for a location, which browsers and proxies may know as long as the bytes.
    ///
    /// A checksum suffices, because only the feed states locations.
    static func version(of location: String) -> String {
        String(Checksum.of(location.utf8), radix: 36)
    }
}

/// The ratio of an image's width and height, in steps of 5 %, between those of a tall and a wide card.
///
/// The security policy forbids styles in elements, so each step is a class of the style.
struct Shape {
    private static let limits = 55...250

    /// The ratio in hundredths.
    let hundredths: Int

    /// The shape of a size; 4 : 3 for an unknown one.
    init(_ size: ImageSize?) {
        guard let size else {
            hundredths = 133
            return
        }
        let step = (Double(size.width) / Double(size.height) * 20).rounded() * 5
        hundredths = min(max(Int(min(step, 1_000)), Self.limits.lowerBound), Self.limits.upperBound)
    }

    var name: String { "r\(hundredths)" }

    /// The rules of all shapes.
    static let style = stride(from: limits.lowerBound, through: limits.upperBound, by: 5)
        .map { ".r\($0){--r:\(Double($0) / 100)}\n" }
        .joined()
}
