import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

/// Entity tags of equal content.
@Suite
struct EntityTagTests {
    struct CountVotes: HTTPQuery {
        typealias Value = [String: Int]
        static let route: QueryRoute<Self> = .get("votes")
    }

    struct CountVotesHandler: QueryHandler {
        func handle(_ query: CountVotes) async throws -> [String: Int] {
            Dictionary(uniqueKeysWithValues: (0..<40).map { ("name \($0)", $0) })
        }
    }

    private static func tag() async throws -> String {
        let router = Router()
        try router.mount(.open { CountVotes.self }, StandardDispatcher { CountVotesHandler() })
        return try #require(try await RouterHTTPClient(router).ask(.get, "/votes")[.eTag])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a dictionary has the same tag in every process`() async throws {
        let tag = try await Self.tag()
        for _ in 0..<2 {
            let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
                try FileHandle.standardOutput.write(contentsOf: Data(await EntityTagTests.tag().utf8))
            }
            #expect(result.standardOutputContent.contains(Array(tag.utf8)))
        }
    }
}
