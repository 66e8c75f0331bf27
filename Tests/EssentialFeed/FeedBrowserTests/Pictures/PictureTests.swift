import FeedTesting
import Foundation
import Testing

private let hasFont = FileManager.default.fileExists(atPath: ChromeDriver.font)

extension InBrowser {
    /// The pictures of the documentation, which `make screenshots` takes.
    @Suite(.enabled(if: hasFont, "The pictures need the Debian package fonts-dejavu-core."))
    struct PictureTests {
        private static let isWriting = ProcessInfo.processInfo.environment["FEED_PICTURES"] == "write"

        @Test func `the pictures of the documentation show the pages as they are`() async throws {
            try await withComparison { compare in
                try await Photographer.takeAll { picture, fresh in
                    guard !Self.isWriting else { return try fresh.write(to: picture.file) }
                    guard let kept = try? Data(contentsOf: picture.file) else {
                        Issue.record("There is no picture \(picture). Run make screenshots.")
                        return
                    }
                    let difference = try await compare(kept, fresh)
                    if difference?.isWithinTolerance != true { try report(picture, fresh, difference) }
                }
            }
        }

        @Test(.enabled(if: !isWriting)) func `another font is within the tolerance`() async throws {
            try await Reader.visit { reader in
                for name in ["page", "phone-image"] {
                    let difference = try await difference(
                        of: name,
                        in: reader,
                        after: "document.body.style.fontFamily = 'serif'"
                    )
                    #expect(difference.isWithinTolerance, "\(name): \(difference)")
                    #expect(difference.mean > 0.0001, "\(name): The font has not changed.")
                }
            }
        }

        @Test(.enabled(if: !isWriting)) func `a missing part is beyond the tolerance`() async throws {
            try await Reader.visit { reader in
                for (name, change) in [
                    ("page", "document.querySelector('.card').style.visibility = 'hidden'"),
                    ("page", "document.querySelectorAll('.card')[4].remove()"),
                    ("phone", "document.querySelector('.card').remove()"),
                    ("phone", "document.querySelector('.frame').style.visibility = 'hidden'"),
                    ("phone-image", "document.querySelector('.frame').style.visibility = 'hidden'"),
                    ("phone-image", "document.querySelector('.comments').style.visibility = 'hidden'"),
                    ("page", "document.documentElement.style.colorScheme = 'dark'"),
                ] {
                    let difference = try await difference(of: name, in: reader, after: change)
                    #expect(!difference.isWithinTolerance, "\(name), \(change): \(difference)")
                }
            }
        }

        /// Compares a page before and after a change.
        private func difference(
            of name: String,
            in reader: Reader,
            after change: String
        ) async throws -> PictureComparison {
            let picture = try #require(PagePicture.all.first { $0.name == name })
            try await reader.open()
            let before = try await Photographer.take(picture, of: reader)
            try await reader.window.run(change)
            try await reader.window.waitForFrames()
            let after = try await reader.window.picture(as: .jpeg(quality: 80))
            let difference = try await withComparison { try await $0(before, after) }
            return try #require(difference)
        }

        /// Passes a function that compares two pictures, in a window without a page.
        private func withComparison<Value>(
            _ body: ((Data, Data) async throws -> PictureComparison?) async throws -> Value
        ) async throws -> Value {
            let browser = try #require(SharedBrowser.current)
            return try await browser.withWindow { window in
                try await body { try await window.compare($0, $1) }
            }
        }

        private func report(_ picture: PagePicture, _ fresh: Data, _ difference: PictureComparison?) throws {
            let folder = URL(filePath: NSTemporaryDirectory()).appending(component: "duet-pictures")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(component: "\(picture).jpg")
            try fresh.write(to: file)
            let result = difference.map { "\($0)" } ?? "another size"
            Issue.record("\(picture) has changed: \(result). Compare \(file.path). To accept it, run make screenshots.")
        }
    }
}
