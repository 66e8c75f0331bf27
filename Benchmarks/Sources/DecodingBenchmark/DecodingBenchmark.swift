import FeedAPI
import FeedFeature
import Foundation
import Rounds

/// Decodes the wire feed as the client does, compared with `JSONDecoder` alone and with alternatives.
@main
enum DecodingBenchmark {
    static let itemCount = 10_000
    static let rounds = 51

    static func main() async throws {
        let body = try SampleBody.data(count: itemCount)
        let images = try mapped(body)
        let (ids, urls) = (images.map(\.id.uuidString), images.map(\.url.absoluteString))
        guard images.count == itemCount, try SerializationMapper.map(body) == images,
            try ScannerSketch.map(body) == images
        else { throw WrongFeed() }

        let plain = "JSONDecoder into the same structs"
        let ours = "LoadFeed.Payload and its mapper"
        let subjects = [
            Measured(plain) {
                guard try JSONDecoder().decode(WireFeed.self, from: body).items.count == itemCount else {
                    throw WrongFeed()
                }
            },
            Measured(ours) {
                guard try mapped(body).count == itemCount else { throw WrongFeed() }
            },
            Measured("JSONSerialization, mapped manually") {
                guard try SerializationMapper.map(body).count == itemCount else { throw WrongFeed() }
            },
            Measured("a hand-written scanner (sketch)") {
                guard try ScannerSketch.map(body).count == itemCount else { throw WrongFeed() }
            },
            Measured("of all these: URL(string:) alone") {
                guard urls.compactMap(URL.init(string:)).count == itemCount else { throw WrongFeed() }
            },
            Measured("of all these: UUID(uuidString:) alone") {
                guard ids.compactMap(UUID.init(uuidString:)).count == itemCount else { throw WrongFeed() }
            },
        ]
        let results = try await Rounds(rounds, subjects)

        print("A wire feed of \(itemCount) items, \(body.count / 1_000) kB; medians of \(rounds) rounds.")
        print("".padded(to: 42) + "ms      ratio")
        for subject in subjects {
            let time = results[subject.name]
            print(subject.name.padded(to: 42) + time.text().padded(to: 8) + (time / results[plain]).text())
        }
        printFigure(
            "decode 10,000 items, LoadFeed.Payload / JSONDecoder",
            results[ours] / results[plain],
            atMost: 1.2
        )
    }

    /// Decodes a response as the client does.
    static func mapped(_ body: Data) throws -> [FeedImage] {
        let payload = try JSONDecoder().decode(LoadFeed.Payload.self, from: body)
        return try LoadFeed.value(from: payload, answering: LoadFeed()).images
    }
}
