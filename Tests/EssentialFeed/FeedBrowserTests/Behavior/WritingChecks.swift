import DuetHTTP
import FeedTesting
import Foundation
import Testing

/// Signing in, publishing and removing.
enum WritingChecks {
    static func signIn() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            // The page server learns of the image from the feed.
            try await reader.open()
            try await reader.open(SampleFeed.dandelions)
            try await window.click(".session a")
            try await window.type("wrong", into: "#token")
            try await window.click("form.form button")
            try await window.wait(until: "document.querySelector('#token[aria-invalid]')")
            #expect(try await window.text("#token-note .failure") == "The server does not accept this token")
            try await window.type(try await reader.site.token(), into: "#token")
            try await window.click("form.form button")
            try await window.wait(until: "document.querySelector('#remove')")
            #expect(try await window.value(of: "location.pathname") == .string("/\(SampleFeed.dandelions)"))
            let cookie = try #require(try await window.cookies()["session"])
            #expect(cookie["httpOnly"] == true)
            #expect(cookie["sameSite"] == "Strict")
            try await window.click(".session button")
            try await window.wait(until: "document.querySelector('.session a')?.textContent == 'Sign in'")
        }
    }

    static func publishing() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.signIn(openingThen: "publish")
            try await window.type(SampleFeed.file.path, into: "#file")
            try await window.type("Σκάφος", into: "#description")
            try await window.type("Thessaloniki", into: "#location")
            try await window.click("#publish button")
            // The feed has this photograph already.
            try await window.wait(until: "document.querySelector('#duplicate a')?.pathname.startsWith('/images/')")
            #expect(try await window.isVisible("#file-fault"))
            #expect(try await window.value(of: "document.querySelector('#file').files.length") == 1)
            try await window.click("#publish button")
            try await window.wait(until: "document.querySelector('.card h2')?.textContent == 'Σκάφος'")
            try await window.waitForImages()
            #expect(try await window.text(".card .location") == "Thessaloniki")
        }
    }

    static func removal() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await reader.signIn(openingThen: SampleFeed.dandelions)
            try await window.click("#remove")
            try await window.wait(forAnnouncement: "The image will be removed in a few seconds")
            #expect(try await window.value(of: "document.activeElement.textContent") == "Undo")
            try await window.resize(to: 390, 844)
            // Beside the note, the link for editing has one line.
            try await window.run("getSelection().selectAllChildren(document.querySelector('.actions a'))")
            #expect(try await window.value(of: "getSelection().getRangeAt(0).getClientRects().length") == 1)
            try await window.press(.enter)
            try await window.wait(until: "document.activeElement.id == 'remove'")
            try await window.press(.enter)
            try await window.wait(until: "document.activeElement.textContent == 'Undo'")
            // The reader who leaves the page does not undo it.
            try await window.click(".back")
            try await window.wait(
                until: "document.querySelector('.card h2')?.textContent.startsWith('The way up')"
            )
            try await poll {
                try await window.reload()
                return try await window.text(".card h2") == "The way up" ? () : nil
            } orThrow: {
                PageTimeout(condition: "The image is removed.", page: await window.testDescription)
            }
        }
    }
}

extension Reader {
    /// Signs in with a new token, and opens a page.
    func signIn(openingThen path: String) async throws {
        try await open("sign-in?return=/\(path)")
        try await window.type(try await site.token(), into: "#token")
        try await window.click("form.form button")
        try await window.wait(until: "location.pathname == \("/\(path)".quoted) && document.readyState != 'loading'")
    }
}
