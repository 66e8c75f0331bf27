import Duet
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

/// Comments, and what members do.
enum HeadlessWritingChecks {
    static func comments() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let comments = await screens.comments(on: try screens.sample)
                #expect(comments.title == "Comments")
                #expect(comments.comments.map(\.username) == ["marmalade_moth", "tin.kettle", "paperlantern7"])
                #expect(
                    comments.comments[1].message == "The big one looks like a small planet with its own sunrise."
                )
                #expect(comments.comments[1].date == "4 weeks ago")
                #expect(comments.error == nil)
            }
        }
    }

    static func noComments() async throws {
        try await HeadlessReader.visit(seed: nil) { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                try await screens.publish("A new image")
                let comments = await screens.comments(on: .fixture(1))
                #expect(comments.emptyMessage == "Nobody has commented yet.")
            }
        }
    }

    static func posting() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                _ = await screens.comments(on: try screens.sample)
                try await screens.dispatcher.dispatch(try screens.comment("<script>alert(1)</script>"))
                let last = try #require(await screens.comments(on: try screens.sample).comments.last)
                #expect(last.message == "<script>alert(1)</script>")
                #expect(last.username == "Ann")
                #expect(last.date == "now")
            }
        }
    }

    static func invalidComment() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let error = try await #require(throws: InvalidMessage.self) {
                    try await screens.dispatcher.dispatch(try screens.comment("  "))
                }
                #expect(error.field == "message")
                let fault = FieldFault(in: "  ", limit: PostImageComment.messageLimit)
                #expect(fault.text(in: screens.language) == "Fill in this field")
                #expect(await screens.comments(on: try screens.sample).comments.count == 3)
            }
        }
    }

    static func liveComments() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let query = LoadImageComments(imageID: try screens.sample)
                var counts = QueryUpdates(screens.dispatcher.observe(query).map(\.comments.count))
                guard case .value(3) = await counts.next() else {
                    Issue.record("no comments")
                    return
                }
                try await screens.dispatcher.dispatch(try screens.comment("Hello"))
                guard case .value(4) = await counts.next() else {
                    Issue.record("no new comment")
                    return
                }
            }
        }
    }

    static func forgottenComments() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let comments = await screens.comments(on: try screens.sample)
                #expect(comments.comments.count == 3)
            }
            try await reader.stopBackend()
            try await reader.launch { screens in
                let comments = await screens.comments(on: try screens.sample)
                #expect(comments.comments.isEmpty)
                #expect(comments.error == "Couldn't connect to server")
            }
        }
    }

    static func waitingComment() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.stopBackend()
            try await reader.launch { screens in
                try await screens.outbox.keep(try screens.comment("Written offline"))
                await screens.outbox.send()
            }
            // The application has ended in between.
            try await reader.launch { screens in
                let waiting = await screens.waitingComments()
                #expect(waiting.map(\.message) == ["Written offline"])
                #expect(waiting.first?.note == "Will be sent when the server can be reached")
                try await reader.startBackend()
                await screens.outbox.send()
                #expect(await screens.waitingComments().isEmpty)
                let sent = await screens.comments(on: try screens.sample).comments.map(\.message)
                #expect(sent.count { $0 == "Written offline" } == 1)
            }
        }
    }

    static func publishing() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                await #expect(throws: AuthorizationError.self) { try await screens.publish("Refused") }
            }
            try await reader.signIn()
            try await reader.launch { screens in
                try await screens.publish("Σκάφος")
                #expect(await screens.feed().images.first?.label == "Σκάφος")
            }
        }
    }

    static func removal() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                _ = await screens.feed()
                try await screens.dispatcher.dispatch(RemoveImage(id: try screens.sample))
                #expect(
                    await screens.feed().images.first?.label == "A path climbs a meadow toward gray cliffs with snow"
                )
                let comments = await screens.comments(on: try screens.sample)
                #expect(comments.error == "There is nothing here")
            }
        }
    }
}

extension HeadlessScreens {
    /// The first image of the samples.
    fileprivate var sample: UUID {
        get throws { try #require(try Manifest.load().items.first).id }
    }

    /// A comment on the first image.
    fileprivate func comment(_ message: String) throws -> PostImageComment {
        PostImageComment(id: .fixture(7), imageID: try sample, message: message, username: "Ann")
    }
}
