import DuetHTTP
import FeedFeature
import FeedTesting
import Foundation
import Testing

/// The browser without the page server, with what the service worker has kept.
enum ServiceWorkerChecks {
    static func withoutServer() async throws {
        try await Reader.visit(serviceWorker: true) { reader in
            let window = reader.window
            try await reader.open()
            try await window.waitForServiceWorker(keeping: "/")
            try await reader.site.page.stop()
            try await window.reload()
            try await window.wait(until: "document.querySelector('.age')")
            #expect(try await window.isVisible("#banner") == false)
            #expect(try await window.count(".card") >= 10)
            // Of the images of further pages, the browser has only those that had arrived.
            try await window.waitForImages(first: 10)
            #expect(try await window.text(".age time")?.hasPrefix("You see the feed saved") == true)
            try await reader.site.page.start()
            // The page connects again by itself: after a while, and at once when the reader returns to it.
            try await window.run("dispatchEvent(new Event('visibilitychange'))")
            try await window.wait(until: "!document.querySelector('.age')")
            #expect(try await window.isVisible("#banner") == false)
            #expect(try await window.count(".card") >= 10)
        }
    }

    static func unopenedPage() async throws {
        try await Reader.visit(serviceWorker: true) { reader in
            let window = reader.window
            try await reader.open()
            try await window.waitForServiceWorker(keeping: "/")
            try await reader.site.page.stop()
            try await reader.open(SampleFeed.dandelions)
            try await window.wait(forBanner: "Couldn't connect to server")
            let text = "This page was not saved in this browser. Try again when the server can be reached."
            #expect(try await window.text(".empty") == text)
            try await window.click(".back")
            try await window.wait(forCards: 10)
        }
    }

    static func removalElsewhere() async throws {
        try await Reader.visit(serviceWorker: true) { reader in
            let window = reader.window
            try await reader.open()
            try await window.waitForServiceWorker(keeping: "/")
            try await reader.open(SampleFeed.dandelions)
            try await window.waitForServiceWorker(keeping: "/\(SampleFeed.dandelions)")
            try await reader.open()
            try await window.wait(forCards: 10)
            let id = try #require(SampleFeed.ids.first)
            #expect(try await window.isKept(id))
            try await reader.site.send(RemoveImage(id: #require(UUID(uuidString: id))))
            try await window.wait(until: "!document.querySelector('#image-\(id)')")
            try await window.wait(until: "\(Window.isKept(id)).then((isKept) => !isKept)")
            // The server can no longer bring it back.
            try await reader.site.page.stop()
            try await window.reload()
            try await window.wait(until: "document.querySelector('.age')")
            let count = try await window.count(".card")
            #expect(count >= 9)
        }
    }

    static func waitingComment() async throws {
        try await Reader.visit(serviceWorker: true) { reader in
            let window = reader.window
            try await reader.open()
            try await window.waitForServiceWorker(keeping: "/")
            try await reader.open(SampleFeed.dandelions)
            try await window.waitForServiceWorker(keeping: "/\(SampleFeed.dandelions)")
            try await reader.site.page.stop()
            try await window.reload()
            try await window.type("Written offline", into: "#message")
            try await window.type("Ann", into: "#username")
            try await window.click("#comment button")
            let note = "document.querySelector('.waiting .note')?.textContent"
            try await window.wait(until: "\(note) == 'Will be sent when the server can be reached'")
            // The comment is also there after the browser has been closed.
            try await window.reload()
            try await window.wait(until: "\(note) == 'Will be sent when the server can be reached'")
            #expect(try await window.text(".waiting .message") == "Written offline")

            try await reader.site.page.start()
            try await window.run("dispatchEvent(new Event('online'))")
            try await window.wait(until: "!document.querySelector('.waiting')")
            try await window.reload()
            try await window.wait(until: "document.querySelectorAll('.comment').length == 4")
            #expect(try await window.texts(".comment .message").last == "Written offline")
        }
    }
}

extension Window {
    /// Whether the browser keeps anything of an image, as an expression.
    fileprivate static func isKept(_ id: String) -> String {
        """
        (async () => {
            for (const name of await caches.keys()) {
                const cache = await caches.open(name);
                for (const key of await cache.keys()) {
                    const text = name.startsWith('pages') ? await (await cache.match(key)).text() : '';
                    if (key.url.includes('\(id)') || text.includes('\(id)')) return true;
                }
            }
            return false;
        })()
        """
    }

    fileprivate func isKept(_ id: String) async throws -> Bool {
        try await value(of: Self.isKept(id)).isTrue == true
    }

    /// Waits until the service worker handles the requests of this window, and has kept a page and its images.
    func waitForServiceWorker(keeping path: String) async throws {
        try await wait(
            until: """
                (async () => {
                    if (!navigator.serviceWorker.controller) return false;
                    const kept = [];
                    for (const name of await caches.keys()) kept.push(...await (await caches.open(name)).keys());
                    const paths = new Set(kept.map(({ url }) => new URL(url).pathname));
                    const images = [...document.querySelectorAll('.frame a img')].slice(0, 10).map((image) => image.getAttribute('src'));
                    return paths.has(\(path.quoted)) && images.every((image) => paths.has(new URL(image, location).pathname));
                })()
                """
        )
    }
}
