import DuetHTTP
import FeedTesting
import Testing

/// Pages on paper.
enum PrintChecks {
    static func print() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            // So small that images of the feed have been released.
            try await window.resize(to: 320, 400)
            try await reader.open()
            try await window.scrollToEnd()
            try await window.waitForImages()
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'released'")
            #expect(try await imagesOnPaper(of: window) == 12)
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'released'")

            for (path, texts, controls) in [
                ("", [".card h2", ".card .location", ".card img"], [".bar", ".search", "#more", ".footer"]),
                (
                    SampleFeed.dandelions, ["h1", ".frame img", ".comment b", ".comment .message"],
                    [".bar", "#comment", ".footer"]
                ),
            ] {
                try await reader.open(path)
                try await window.waitForImages()
                try await window.showAsPrinted(dark: true)
                for text in texts { #expect(try await window.isVisible(text), "/\(path) \(text)") }
                for control in controls { #expect(try await window.isVisible(control) == false, "/\(path) \(control)") }
                // Paper is white, whatever the colors of the screen.
                let color = "getComputedStyle(document.body).color"
                #expect(try await window.value(of: color) == "rgb(29, 31, 33)")
                #expect(try await window.value(of: "getComputedStyle(document.querySelector('img')).opacity") == "1")
                try await window.prefer(dark: false, reducedMotion: true)
            }
        }
    }

    /// Returns the number of images in the document for a printer, which names each one in plain text.
    private static func imagesOnPaper(of window: Window) async throws -> Int {
        String(decoding: try await window.printed(), as: UTF8.self).ranges(of: "/Subtype /Image").count
    }
}
