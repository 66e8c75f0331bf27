public import FeedFeature
public import Foundation

extension FeedImage {
    /// The nth image of a series; the images differ in every property, and each call returns the same one.
    ///
    /// Every second one has no description, every third one no location.
    public static func fixture(_ n: Int) -> FeedImage {
        FeedImage(
            id: .fixture(n),
            description: n.isMultiple(of: 2) ? nil : "Description \(n) · Περιγραφή · descrição 🏔️",
            caption: n.isMultiple(of: 2) ? "Caption \(n)" : nil,
            location: n.isMultiple(of: 3) ? nil : "Location \(n)\nsecond line",
            author: n.isMultiple(of: 2) ? "Author \(n) · Άννα" : nil,
            publishedAt: Date(timeIntervalSince1970: 1_700_000_000.125 + Double(n)),
            commentCount: n,
            size: ImageSize(width: 3_000 + n, height: 2_000),
            color: n.isMultiple(of: 2) ? ImageColor("#2f4f8a") : nil,
            isAnimated: n.isMultiple(of: 2),
            versions: n.isMultiple(of: 3) ? [] : [ImageVersion(width: 480, url: .fixture(n).appending(path: "480"))],
            url: .fixture(n)
        )
    }

    /// This image with other facts.
    public func with(publishedAt: Date? = nil, commentCount: Int? = nil, size: ImageSize? = nil) -> FeedImage {
        FeedImage(
            id: id,
            description: description,
            caption: caption,
            location: location,
            author: author,
            publishedAt: publishedAt ?? self.publishedAt,
            commentCount: commentCount ?? self.commentCount,
            size: size ?? self.size,
            color: color,
            isAnimated: isAnimated,
            versions: versions,
            url: url
        )
    }

    /// The images of a range of numbers, in order.
    public static func fixtures(_ numbers: Range<Int>) -> [FeedImage] {
        numbers.map(fixture)
    }
}

extension UUID {
    /// The nth id: the number, in the last eight bytes.
    public static func fixture(_ n: Int) -> UUID {
        let byte = { UInt8(truncatingIfNeeded: n >> ($0 * 8)) }
        return UUID(
            uuid: (
                0xF0, 1, 2, 3, 4, 5, 0x46, 7, byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1), byte(0)
            )
        )
    }
}

extension URL {
    /// The nth URL, which no server serves.
    public static func fixture(_ n: Int) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = "images.invalid"
        parts.path = "/images/\(n).jpeg"
        parts.percentEncodedQuery = "size=large&name=\(n)%20a"
        // The parts above always form a URL.
        return parts.url ?? URL(filePath: parts.path)
    }
}

extension Date {
    /// A moment in November 2023 whose fraction of a second uses every bit.
    public static let fixture = Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_78)
}
