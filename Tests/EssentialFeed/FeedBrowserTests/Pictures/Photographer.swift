import DuetTesting
import FeedBackend
import FeedComposition
import FeedTesting
import Foundation
import TestSupport

/// Takes the pictures, each of the same content at the same time.
enum Photographer {
    /// Takes all pictures, and passes each to `use`.
    static func takeAll(_ use: (PagePicture, Data) async throws -> Void) async throws {
        try await Reader.visit { reader in
            try await take([.feed, .search, .image], of: reader, use)
            try await reader.open()
            try await reader.signIn(openingThen: "publish")
            try await take([.publishing], of: reader, use)
            try await reader.window.removeCookies()
            try await reader.open()
            try await reader.window.scrollToEnd()
            try await reader.window.waitForImages()
            try await reader.site.backend.stop()
            reader.site.clock.advance(by: 2 * 60 * 60)
            try await reader.window.setTime(reader.site.clock.now())
            try await take([.offline], of: reader, use)
        }
        // In a browser that has no images yet.
        try await Reader.visit { try await take([.loading], of: $0, use) }
        try await Reader.visit { try await take([.waiting], of: $0, use) }
        try await Reader.visit(seed: .nothing) { try await take([.empty], of: $0, use) }
        try await Reader.visit(backend: false) { try await take([.error], of: $0, use) }
    }

    /// Shows the page of a picture in a window, and takes the picture.
    static func take(_ picture: PagePicture, of reader: Reader) async throws -> Data {
        let window = reader.window
        try await window.resize(to: picture.device.size.width, picture.device.size.height)
        try await window.prefer(dark: picture.isDark, reducedMotion: true)
        try await window.prefer(languages: picture.language)
        try await show(picture.content, in: reader)
        return try await window.picture(as: .jpeg(quality: 80))
    }

    private static func take(
        _ contents: Set<PagePicture.Content>,
        of reader: Reader,
        _ use: (PagePicture, Data) async throws -> Void
    ) async throws {
        for picture in PagePicture.all where contents.contains(picture.content) {
            try await use(picture, try await take(picture, of: reader))
        }
    }

    private static func show(_ content: PagePicture.Content, in reader: Reader) async throws {
        let window = reader.window
        switch content {
        case .feed, .offline, .empty, .error: try await reader.open()
        case .publishing: try await reader.open("publish")
        case .search: try await reader.open("?q=wooden&has_comments=true")
        case .image: try await reader.open(SampleFeed.dandelions)
        case .waiting:
            try await reader.open()
            try await reader.open(SampleFeed.dandelions)
            try await window.waitForImages()
            try await reader.site.page.stop()
            try await window.type("Written on the train, without a connection.", into: "#message")
            try await window.type("Ann", into: "#username")
            try await window.click("#comment button")
            try await window.wait(until: "document.querySelector('.waiting .note')?.textContent.startsWith('Will be')")
            try await window.run("document.activeElement.blur()")
            try await window.run("document.querySelector('.waiting').scrollIntoView({ block: 'center' })")
        case .loading:
            try await window.hold("*/data*")
            try await reader.open()
            return try await window.waitForFrames()
        }
        try await window.waitForImages()
        try await window.waitForFrames()
    }
}
