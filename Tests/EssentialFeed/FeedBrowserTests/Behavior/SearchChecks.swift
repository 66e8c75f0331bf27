import DuetHTTP
import FeedTesting
import Testing

/// The search in the feed.
enum SearchChecks {
    static func search() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.type("DANDELION", into: "#q")
            try await window.press(.enter)
            try await window.wait(until: "document.querySelector('.found')?.textContent == '1 image found'")
            #expect(try await window.texts(".card h2") == ["Make a wish"])

            // All images, in the reverse order, page by page.
            try await reader.open("?sort=oldest")
            #expect(try await window.text(".card h2") == "Free")
            try await window.scrollToEnd()
            #expect(try await window.count(".card") == 12)
            #expect(try await window.texts(".card h2").last == "Make a wish")

            try await reader.open("?has_location=true&sort=most_commented")
            #expect(try await window.texts(".card h2").first == "The way up")
            #expect(try await window.count(".card .location") == window.count(".card"))
        }
    }

    static func emptySearch() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open("?q=unicorn")
            #expect(try await window.text(".empty p") == "No images match this search.")
            #expect(try await window.value(of: "document.querySelector('#q').value") == "unicorn")
            try await window.click(".chip.clear")
            try await window.wait(forCards: 10)
            #expect(try await window.value(of: "location.search") == "")
        }
    }

    static func offlineSearch() async throws {
        try await Reader.visit { reader in
            try await reader.open()
            try await reader.site.backend.stop()
            try await reader.open("?q=cliffs")
            #expect(try await reader.window.isVisible("#banner") == false)
            #expect(try await reader.window.texts(".card h2") == ["The way up"])
            #expect(try await reader.window.text(".age time") == "Searched in the feed saved now")
        }
    }
}
