import FeedFeature
import Foundation

/// The feed that is saved and loaded: always the same images, with and without texts.
enum SampleFeed {
    static let savedAt = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456)

    static func images(count: Int) -> [FeedImage] {
        (0..<count).compactMap { number in
            // Ids far apart, like random ones: multiplication by an odd number produces each number once.
            let high = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            let low = UInt64(number) &* 0xD1B5_4A32_D192_ED03
            let id = withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            guard let url = URL(string: "https://images.example.com/v1/image/\(id.uuidString)") else { return nil }
            return FeedImage(
                id: id,
                description: number % 4 == 0 ? nil : "The view from the hill above the harbour, number \(number)",
                location: number % 3 == 0 ? nil : "Σαντορίνη, Greece",
                url: url
            )
        }
    }
}
