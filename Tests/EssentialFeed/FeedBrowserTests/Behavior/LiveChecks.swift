import FeedTesting
import Testing

/// The changes that somebody else makes while a page is open.
enum LiveChecks {
    static func newImages() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.waitForImages()
            let count = try await window.count(".card")
            try await reader.site.publishElsewhere("The first", 1)
            try await reader.site.publishElsewhere("The second", 2)
            try await window.wait(until: "document.querySelector('#news:not([hidden])')?.textContent == '2 new'")
            #expect(try await window.count(".card") == count)
            try await window.click("#news")
            try await window.wait(until: "document.querySelectorAll('.card h2')[1].textContent == 'The first'")
            #expect(try await window.text(".card h2") == "The second")
            #expect(try await window.value(of: "document.activeElement.textContent") == "The second")
            #expect(try await window.isVisible("#news") == false)
        }
    }

    static func liveComments() async throws {
        try await Reader.visit { reader in
            try await reader.open(SampleFeed.dandelions)
            try await reader.withSecondWindow { second in
                try await second.open(reader.site.address(SampleFeed.dandelions))
                try await reader.window.post("Hello", as: "Ann")
                try await second.wait(until: "document.querySelectorAll('.comment')[3]")
                #expect(try await second.texts(".comment .message").last == "Hello")
                try await second.post("And hello to you", as: "Ben")
                try await reader.window.wait(until: "document.querySelectorAll('.comment')[4]")
                #expect(try await reader.window.texts(".comment b").suffix(2) == ["Ann", "Ben"])
                try await reader.window.wait(forAnnouncement: "New comments: 1")
            }
        }
    }
}

extension Window {
    /// Posts a comment with the form of an image's page, and waits until the server has it.
    func post(_ message: String, as name: String) async throws {
        try await run("document.querySelector('#username').value = ''")
        try await type(message, into: "#message")
        try await type(name, into: "#username")
        try await click("#comment button")
        try await waitUntilSent()
    }
}
