import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Testing

extension InBrowser {
    /// Images that move.
    @Suite struct AnimationTests {
        /// A black and a white frame, each for a tenth of a second.
        private static let animation = GIFBytes.file([
            GIFBytes.loop, GIFBytes.control, GIFBytes.image(isWhite: false), GIFBytes.control, GIFBytes.image(),
        ])

        @Test(arguments: [true, false])
        func `an animation stands still until the reader plays it`(hasVersion: Bool) async throws {
            try await Reader.visit(seed: .nothing) { reader in
                let (site, window) = (reader.site, reader.window)
                let id = UUID.fixture(1)
                try await site.send(PublishImage(id: id, description: "A dot", data: Self.animation))
                if hasVersion { try await site.makeVersions() }

                try await reader.open()
                try await window.wait(forCards: 1)
                if hasVersion { try await window.waitForImages() }
                #expect(try await window.count(".card img") == (hasVersion ? 1 : 0))
                #expect(try await window.text(".card .mark") == "Animated")
                try await expectStill(window)

                try await reader.open("images/\(id)")
                try await expectStill(window)
                try await window.run("document.querySelector('.player img').style.objectFit = 'fill'")
                try await window.tab(to: "summary")
                let tree = try await window.accessibilityTree
                #expect(tree.faults == [])
                #expect(tree.nodes.contains { $0.name == "Play animation" })
                #expect(try await name(in: window) == "Play animation")
                try await window.press(.enter)
                #expect(try await name(in: window) == "Stop animation")
                #expect(try await window.accessibilityTree.faults == [])
                try await window.wait(until: "document.querySelector('.player img').naturalWidth > 0")
                let first = try await window.picture(as: .png)
                _ = try await poll {
                    try await window.picture(as: .png) == first ? nil : true
                } orThrow: {
                    CancellationError()
                }
                try await window.press(.enter)
                #expect(try await name(in: window) == "Play animation")
                #expect(try await window.isVisible(".player img") == false)
            }
        }

        @Test func `an animation plays without scripts, too`() async throws {
            try await Reader.visit(seed: .nothing) { reader in
                let (site, window) = (reader.site, reader.window)
                try await site.send(PublishImage(id: .fixture(1), description: "A dot", data: Self.animation))
                try await window.setScripts(enabled: false)
                try await reader.open("images/\(UUID.fixture(1))")
                #expect(try await window.isVisible(".player img") == false)
                try await window.click("summary")
                try await window.wait(until: "document.querySelector('.player img').naturalWidth > 0")
                #expect(try await window.isVisible(".player img"))
                #expect(try await name(in: window) == "Stop animation")
            }
        }

        /// Expects that the window shows one picture for several frames, and that the original was not loaded.
        private func expectStill(_ window: Window) async throws {
            try await window.waitForFrames()
            let first = try await window.picture(as: .png)
            for _ in 1...3 {
                try await window.runUntilDone("setTimeout(done, 130)")
                #expect(try await window.picture(as: .png) == first)
            }
            let originals =
                "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/data?v=')).length"
            #expect(try await window.value(of: originals) == 0)
        }

        /// Returns the name that the control shows, which is also that for screen readers.
        private func name(in window: Window) async throws -> String? {
            try await window.value(of: "document.querySelector('summary').innerText.trim()").string
        }
    }
}
