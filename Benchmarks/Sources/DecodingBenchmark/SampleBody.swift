import Foundation

/// The body that is decoded: always the same items, with and without texts, as the backend writes them.
enum SampleBody {
    static func data(count: Int) throws -> Data {
        let items = (0..<count).compactMap { number -> WireItem? in
            // Ids far apart, like random ones: multiplication by an odd number produces each number once.
            let high = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            let low = UInt64(number) &* 0xD1B5_4A32_D192_ED03
            let id = withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            guard let url = URL(string: "https://images.example.com/v1/image/\(id.uuidString)") else { return nil }
            return WireItem(
                id: id,
                description: number % 4 == 0 ? nil : "The view from the hill above the harbour, number \(number)",
                location: number % 3 == 0 ? nil : "Σαντορίνη, Greece",
                image: url
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(WireFeed(items: items))
    }
}
