import FeedComposition
import FeedTesting
import Foundation
import Testing

/// `feed load` with a search.
@Suite(.serialized) struct SearchCommandTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func load(_ options: [String]) async throws -> FeedProcess.Result {
        try await FeedCommand.run(["load"] + options, home: folder.url)
    }

    @Test func `a search loads the matching images, and the saved ones when the server is gone`() async throws {
        let options = try await withBackend(home: folder.url, seed: .samples) { remote in
            let options = ["--no-images", "--remote", remote]
            let filter = ["--filter", "has-location", "--sort", "most-commented"]
            let found = try await load(options + ["--search", "CLIFFS meadow"] + filter)
            #expect(found.status == 0)
            #expect(found.output.contains("Picos de Europa"))
            #expect(!found.output.contains("Dandelion"))
            let all = try await load(options + ["--all", "--limit", "5", "--sort", "oldest"])
            #expect(all.output.split(separator: "\n").last?.contains("Dandelion") == true)
            _ = try await load(options)
            return options
        }
        let offline = try await load(options + ["--search", "cliffs"])
        #expect(offline.status == 0)
        #expect(offline.output.contains("Picos de Europa"))
        #expect(!offline.output.contains("Dandelion"))
    }

    @Test(arguments: [["--search", String(repeating: "a", count: 101)], ["--sort", "best"], ["--filter", "new"]])
    func `an invalid search is named by its option`(option: [String]) async throws {
        let result = try await load(option)
        #expect(result.status == 64)
        #expect(result.error.contains(option[0]), "\(result.error)")
    }
}
