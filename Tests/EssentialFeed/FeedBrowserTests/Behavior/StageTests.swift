import DuetHTTP
import FeedBackend
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import TestSupport
import Testing

extension InBrowser {
    /// What only the script does on the pages of images and for publishers.
    @Suite struct StageTests {
        @Test func `keys lead to the next image, and back to the feed`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                try await reader.open(SampleFeed.dandelions)
                try await press("ArrowRight", in: reader)
                let next = try #require(SampleFeed.ids.dropFirst().first).uppercased()
                try await reader.window.wait(until: "location.pathname == '/images/\(next)'")
                try await press("ArrowLeft", in: reader)
                try await reader.window.wait(until: "location.pathname == '/\(SampleFeed.dandelions)'")
                try await press("Escape", in: reader)
                try await reader.window.wait(forCards: 10)
                // A link does not state that an image is beyond the first page.
                let last = SampleFeed.ids.suffix(2).map { $0.uppercased() }
                try await reader.open("images/\(last[1])")
                try await press("ArrowLeft", in: reader)
                try await reader.window.wait(until: "location.pathname == '/images/\(last[0])'")
            }
        }

        @Test func `two submits in one moment post one comment, and the name is remembered`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await reader.open(SampleFeed.dandelions)
                try await window.type("Once", into: "#message")
                try await window.type("Ann", into: "#username")
                try await window.run("for (const time of [1, 2]) document.querySelector('#comment').requestSubmit()")
                try await window.waitUntilSent()
                try await window.reload()
                #expect(try await window.texts(".comment .message").filter { $0 == "Once" }.count == 1)
                #expect(try await window.value(of: "document.querySelector('#username').value") == "Ann")
            }
        }

        @Test func `what is written while a comment is sent is another comment`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await reader.open(SampleFeed.dandelions)
                try await window.hold("*/comments")
                for text in ["First", "Second"] {
                    try await window.type(text, into: "#message")
                    if text == "First" { try await window.type("Ann", into: "#username") }
                    try await window.click("#comment button")
                    try await window.wait(until: "document.querySelector('#message').value == ''")
                }
                try await window.type("Third", into: "#message")
                try await window.releaseRequests()
                try await window.waitUntilSent()
                try await window.wait(
                    until: "document.querySelector('.comment:last-child .message').textContent == 'Second'"
                )
                #expect(try await window.value(of: "document.querySelector('#message').value") == "Third")
                #expect(try await window.texts(".comment .message").suffix(2) == ["First", "Second"])
            }
        }

        @Test func `earlier comments are a page of their own, and a new comment leads to the newest ones`() async throws
        {
            try await Reader.visit { reader in
                let window = reader.window
                let image = try #require(SampleFeed.ids.first.flatMap { UUID(uuidString: $0) })
                for number in 1...50 { try await send(number, on: image, in: reader) }
                try await reader.open(SampleFeed.dandelions)
                #expect(try await window.count(".comment") == 50)
                try await window.run("document.querySelector('.comments-link a').click()")
                try await window.wait(until: "document.querySelector('#newest')")
                #expect(try await window.count(".comment") == 3)

                // Only the newest comments change by themselves.
                try await send(51, on: image, in: reader)
                try await window.post("Mine", as: "Ann")
                try await window.wait(until: "!document.querySelector('#newest') && location.search == ''")
                #expect(try await window.texts(".comment .message").suffix(2) == ["Elsewhere 51", "Mine"])
                try await send(52, on: image, in: reader)
                try await window.wait(until: "document.querySelector('.comment:last-child b').textContent == 'Ben'")
                #expect(try await window.texts(".comment .message").last == "Elsewhere 52")
            }
        }

        @Test(arguments: [390, 1200] as [Int64])
        func `new and removed comments do not move the ones that are being read`(width: Int64) async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await window.resize(to: width, 844)
                let image = try #require(SampleFeed.ids.first.flatMap { UUID(uuidString: $0) })
                for number in 1...50 { try await send(number, on: image, in: reader) }
                try await reader.open(SampleFeed.dandelions)
                try await window.waitForImages()
                func read(_ index: Int) async throws {
                    try await window.run(
                        """
                        window.read = document.querySelectorAll('.comment')[\(index)];
                        read.scrollIntoView({ block: 'start' });
                        window.place = read.getBoundingClientRect().top;
                        """
                    )
                    try await window.waitForFrames()
                }
                func expectSamePlace() async throws {
                    try await window.waitForFrames()
                    #expect(try await window.value(of: "read.isConnected") == true)
                    #expect(try await window.value(of: "Math.round(read.getBoundingClientRect().top - place)") == 0)
                }

                // An earlier comment takes the place of a removed one, at the top.
                try await read(30)
                try await reader.site.send(RemoveImageComment(imageID: image, id: .fixture(40)))
                try await window.wait(until: "!document.querySelector('#comment-\(UUID.fixture(40))')")
                #expect(try await window.count(".comment") == 50)
                try await expectSamePlace()

                // A new one would push the first one out.
                try await read(0)
                try await send(51, on: image, in: reader)
                try await window.wait(forAnnouncement: "New comments: 1")
                #expect(try await window.texts(".comment .message").last == "Elsewhere 51")
                try await expectSamePlace()
            }
        }

        @Test func `a posted comment is announced even if the list cannot be loaded afterward`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                // Without live comments, nothing but the response to the form has the list.
                try await window.block("*/live*")
                try await reader.open(SampleFeed.dandelions)
                try await window.hold("*/\(SampleFeed.dandelions)")
                try await window.type("Posted", into: "#message")
                try await window.type("Ann", into: "#username")
                try await window.click("#comment button")
                let comments = reader.site.backend.url.absoluteString + "v1/image/\(SampleFeed.ids[0])/comments"
                try await reader.withSecondWindow { second in
                    try await poll {
                        try await second.open(try #require(URL(string: comments)))
                        return try await second.text("body")?.contains("Posted") == true ? () : nil
                    } orThrow: {
                        PageTimeout(condition: "The comment is posted.", page: await second.testDescription)
                    }
                }
                try await reader.site.backend.stop()
                try await window.releaseRequests()
                try await window.wait(forAnnouncement: Language.english[.commentsPosted])
                // The page reads what it keeps before it removes the comment that waited.
                try await window.wait(until: "!document.querySelector('.waiting, .pending')")
                #expect(try await window.count(".comment") == 3)
            }
        }

        @Test func `a comment that the page's server keeps for the backend is shown at once, and announced as waiting`()
            async throws
        {
            try await Reader.visit { reader in
                let window = reader.window
                try await reader.open(SampleFeed.dandelions)
                try await reader.site.backend.stop()
                try await window.post("Later", as: "Ann")
                try await window.wait(forAnnouncement: Language.english[.commentsWaiting])
                #expect(try await window.texts(".comment .message").last == "Later")
                #expect(try await window.text(".comment:last-child .note") == Language.english[.commentsWaiting])
                #expect(try await window.count(".comment") == 4)
                try await reader.site.backend.start()
                try await window.wait(until: "!document.querySelector('.comment .note')")
                #expect(try await window.texts(".comment .message").filter { $0 == "Later" }.count == 1)
            }
        }

        @Test func `a reader's clock that is ahead does not make comments older`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await window.setTime(reader.site.clock.now().addingTimeInterval(86_400))
                try await reader.open(SampleFeed.dandelions)
                try await window.post("Just now", as: "Ann")
                #expect(try await window.texts(".comment time").last == "now")
                #expect(try await window.texts(".comment time").first == "4 weeks ago")
            }
        }

        @Test func `several files are published one after the other, each with its preview`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await choose(["white.gif", "black.gif"], in: reader)
                try await window.wait(until: "document.querySelector('.drop canvas').checkVisibility()")
                #expect(try await window.text("#position") == "Image 1 of 2")
                try await window.type("First", into: "#description")
                // A preview that disappears while the next image is decoded would move the form.
                try await window.run(
                    """
                    const sheet = document.querySelector('.sheet');
                    new MutationObserver(() => { window.isHidden ||= sheet.querySelector('canvas').hidden; })
                        .observe(sheet, { subtree: true, childList: true, attributes: true });
                    """
                )
                try await window.click("#publish button")
                try await window.wait(until: "document.querySelector('#description').value == ''")
                try await window.wait(forAnnouncement: "Image 2 of 2")
                try await window.wait(until: "document.querySelector('.drop span').textContent.startsWith('black.gif')")
                #expect(try await window.text("#position") == "Image 2 of 2")
                #expect(try await window.value(of: "window.isHidden ?? false") == false)
                try await window.type("Second", into: "#description")
                try await window.click("#publish button")
                try await window.wait(until: "document.querySelectorAll('.card').length >= 10")
                #expect(try await window.texts(".card h2").prefix(2) == ["Second", "First"])
                let sentence = "Images published: 2. Removed before publishing: data after the end of the image"
                #expect(try await window.text(".found") == sentence)
            }
        }

        @Test func `a file that cannot be published is skipped or replaced, and the others are published`() async throws
        {
            try await Reader.visit { reader in
                let window = reader.window
                try await choose(["notes.txt", "cut.gif", "white.gif", "photo.heic"], in: reader)
                // A file that the page can refuse itself waits until the others are published.
                #expect(try await window.text("#position") == "Image 1 of 4")
                try await window.click("#publish button")
                let reason = "This file ends too early. Copy or download it again"
                try await window.wait(
                    until: "document.querySelector('#file-fault').textContent == \(reason.quoted)"
                )
                try await replaceFile(in: reader)
                try await window.wait(until: "document.querySelector('#file-fault').textContent == ''")
                #expect(try await window.text("#position") == "Image 1 of 4")
                try await window.click("#skip")
                try await window.wait(forAnnouncement: "Image 1 of 3")
                #expect(try await window.text(".drop span")?.hasPrefix("white.gif") == true)
                try await window.click("#publish button")
                try await window.wait(forAnnouncement: "Image 2 of 3")
                #expect(try await window.text("#file-fault") == "Choose a JPEG, PNG, GIF or WebP file")
                try await replaceFile(in: reader)
                try await window.click("#publish button")
                try await window.wait(forAnnouncement: "Image 3 of 3")
                #expect(try await window.text("#file-fault")?.hasPrefix("Browsers cannot show HEIC.") == true)
                try await window.click("#skip")
                try await window.wait(until: "document.querySelectorAll('.card').length >= 10")
                #expect(try await window.text(".found")?.hasPrefix("Images published: 2.") == true)
            }
        }

        @Test func `a picture and its texts remain in the form while the backend cannot be reached`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await choose(["white.gif"], in: reader)
                try await window.type("White", into: "#description")
                try await window.type("Here", into: "#location")
                try await reader.site.backend.stop()
                try await window.click("#publish button")
                try await window.wait(until: "!document.querySelector('#banner').hidden")
                #expect(try await window.value(of: "document.querySelector('#description').value") == "White")
                try await reader.site.backend.start()
                try await window.click("#publish button")
                try await window.wait(until: "document.querySelectorAll('.card').length >= 10")
                #expect(try await window.text(".card h2") == "White")
                #expect(try await window.text(".card .location") == "Here")
            }
        }

        @Test func `comments that wait in the browser end with the session`() async throws {
            try await Reader.visit(serviceWorker: true) { reader in
                let window = reader.window
                try await reader.signIn(openingThen: SampleFeed.dandelions)
                try await window.wait(until: "navigator.serviceWorker.controller")
                try await window.hold("*/comments")
                try await window.type("Mine", into: "#message")
                try await window.type("Ann", into: "#username")
                try await window.click("#comment button")
                try await window.wait(until: "document.querySelector('.waiting')")
                let count = "outbox('readonly', (store) => store.count())"
                try await window.wait(until: "\(count).then((count) => count == 1)")
                try await window.click("form[action^='/sign-out'] button")
                try await window.wait(until: "location.pathname == '/' && document.readyState != 'loading'")
                try await window.releaseRequests()
                try await window.wait(until: "\(count).then((count) => count == 0)")
                try await reader.open(SampleFeed.dandelions)
                #expect(try await !window.texts(".comment .message").contains("Mine"))
            }
        }

        @Test func `a removal that the browser dropped with its page is sent by the next one`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                try await reader.signIn(openingThen: SampleFeed.dandelions)
                try await window.run("sessionStorage.removal = JSON.stringify(location.pathname + '/remove')")
                try await reader.open()
                try await window.wait(until: "!sessionStorage.removal || sessionStorage.removal == 'null'")
                try await reader.open(SampleFeed.dandelions)
                #expect(try await window.count(".stage") == 0)
            }
        }

        @Test func `the browser asks before it leaves files that are not published yet`() async throws {
            try await Reader.visit { reader in
                let window = reader.window
                let asks = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"
                try await choose([], in: reader)
                #expect(try await window.value(of: asks) == false)
                try await window.type(try file("white.gif", in: reader), into: "#file")
                #expect(try await window.value(of: asks) == true)
                try await window.hold("*/publish")
                try await window.click("#publish button")
                try await window.wait(forAnnouncement: "Publishing…")
                #expect(try await window.value(of: asks) == true)
                // The last image leads to the feed without a question.
                try await window.run(
                    "addEventListener('beforeunload', (event) => { sessionStorage.asked = event.defaultPrevented; })"
                )
                try await window.releaseRequests()
                try await window.wait(until: "document.querySelectorAll('.card').length >= 10")
                #expect(try await window.value(of: "sessionStorage.asked") == "false")
            }
        }

        /// Opens the page for publishing, and chooses files.
        private func choose(_ names: [String], in reader: Reader) async throws {
            try await reader.signIn(openingThen: "publish")
            try await reader.window.wait(until: "document.querySelector('#file').multiple")
            let paths = try names.map { try file($0, in: reader) }
            guard !paths.isEmpty else { return }
            try await reader.window.type(paths.joined(separator: "\n"), into: "#file")
        }

        /// Chooses another file in place of the one in the form.
        private func replaceFile(in reader: Reader) async throws {
            // The driver would add to the chosen files.
            try await reader.window.run("document.querySelector('#file').value = ''")
            try await reader.window.type(try file("black.gif", in: reader), into: "#file")
        }

        /// Writes a file with this name, a picture of one pixel or not even that, and returns its path.
        private func file(_ name: String, in reader: Reader) throws -> String {
            let picture = GIFBytes.file([GIFBytes.image(isWhite: name == "white.gif")], trailing: [1])
            let file = reader.site.directory.appending(name)
            try (name == "cut.gif" ? picture.dropLast(4) : picture).write(to: file)
            return file.path
        }

        /// Posts a comment as somebody else does.
        private func send(_ number: Int, on image: UUID, in reader: Reader) async throws {
            let text = "Elsewhere \(number)"
            try await reader.site.send(
                PostImageComment(id: .fixture(number), imageID: image, message: text, username: "Ben")
            )
        }

        private func press(_ key: String, in reader: Reader) async throws {
            try await reader.window.run(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '\(key)', bubbles: true }))"
            )
        }
    }
}
