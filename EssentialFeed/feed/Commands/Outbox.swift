import ArgumentParser
import FeedFeature
import FeedPresentation
import Foundation

struct Outbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, send, retry and drop the comments that wait for the server.",
        discussion: """
            "feed reply" keeps a comment here if the server cannot be reached. The next "feed reply", "feed outbox send" \
            and a running "feed web" send it. A comment that the server refused stays until you retry or drop it.

            One program at a time sends the comments of a file, with its own token. Comments of a page's readers are \
            sent without a token, whichever program sends them: a backend that needs one refuses them. While "feed web" \
            sends, it also sends what other programs keep, soon after "feed outbox send" or "feed outbox retry".

            EXAMPLES:
              feed outbox
              feed outbox send
              feed outbox drop 5D0C6A1E
            """,
        subcommands: [List.self, Send.self, Retry.self, Drop.self],
        defaultSubcommand: List.self
    )

    struct Options: ParsableArguments {
        @OptionGroup var sender: SenderOptions
        @OptionGroup var outbox: OutboxOptions
        @OptionGroup var output: OutputOptions

        /// Prints the comments that remain after `change`, and returns them.
        @discardableResult
        func run(
            onlyReads: Bool = false,
            _ change: @escaping @Sendable (any CommentOutbox) async throws -> Void
        ) async throws -> [WaitingComment] {
            let comments = try await sender.withOutbox(outbox, onlyReads: onlyReads) { _, outbox in
                try await change(outbox)
                return await outbox.comments
            }
            let language = output.language.language
            try output.format.print(
                ListResult(items: comments.map { WaitingCommentResult($0) }),
                columns: WaitingCommentResult.columns(in: language),
                emptyNote: output.text(.terminalNoWaitingComments)
            )
            return comments
        }

        /// Prints the comments that remain after an attempt to send, of which none should wait for the server.
        func send(_ change: @escaping @Sendable (any CommentOutbox) async throws -> Void) async throws {
            let waiting = try await run(change).count { !$0.isFailed }
            guard waiting > 0 else { return }
            let what = waiting == 1 ? "1 comment still waits" : "\(waiting) comments still wait"
            throw CommandError("\(what) for the server.", status: .unavailable)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the comments that wait for the server.",
            discussion: """
                JSON; a comment that nobody has tried to send has no "reason":
                  {"items": [{"id": "5D0C6A1E-6F2B-4C1D-9A3E-0B7F8C2D4E51",
                              "imageID": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
                              "keptAt": "2026-03-01T09:12:44Z", "message": "Nice!",
                              "reason": "There is no connection.",
                              "state": "waiting", "username": "ann"}]}
                The state is waiting or failed.
                """
        )

        @OptionGroup var options: Options

        func run() async throws { try await options.run(onlyReads: true) { _ in } }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the comments now, and print those that remain.",
            discussion: "JSON: as of \"feed outbox list\""
        )

        @OptionGroup var options: Options

        func run() async throws { try await options.send { await $0.send() } }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a comment again that the server refused, and print those that remain.",
            discussion: "JSON: as of \"feed outbox list\""
        )

        @Argument(help: ArgumentHelp("The comment's id, or its beginning.", valueName: "id"))
        var comment: String

        @OptionGroup var options: Options

        func run() async throws {
            try await options.send { [comment] outbox in
                try await outbox.retry(outbox.id(comment))
                await outbox.send()
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a comment without sending it, and print those that remain.",
            discussion: "JSON: as of \"feed outbox list\""
        )

        @Argument(help: ArgumentHelp("The comment's id, or its beginning.", valueName: "id"))
        var comment: String

        @OptionGroup var options: Options

        func run() async throws { try await options.run { [comment] in try await $0.drop($0.id(comment)) } }
    }
}

extension CommentOutbox {
    /// Returns the id of the comment whose id begins with a text.
    ///
    /// - Throws: ``CommandError`` if no id does, or several.
    fileprivate func id(_ text: String) async throws -> UUID {
        let ids = await comments.map(\.id).filter { "\($0)".hasPrefix(text.uppercased()) }
        guard let id = ids.first else {
            throw CommandError(#"No waiting comment has the id \#(text). "feed outbox" prints the ids."#)
        }
        guard ids.count == 1 else {
            throw CommandError(#"\#(ids.count) comments have ids that begin with \#(text). Write more of the id."#)
        }
        return id
    }
}

/// A comment that waits for the server, or that it refused.
package struct WaitingCommentResult: Codable {
    enum State: String, Codable {
        case waiting, failed
    }

    let id: UUID
    let imageID: UUID
    let message: String
    let username: String
    let keptAt: Date
    let state: State
    let reason: String?

    init(_ waiting: WaitingComment) {
        id = waiting.id
        imageID = waiting.comment.imageID
        message = waiting.comment.message
        username = waiting.comment.username
        keptAt = waiting.date
        (state, reason) =
            switch waiting.state {
            case .waiting(let reason): (.waiting, reason)
            // Nobody sends it before this program or another one tries.
            case .sending: (.waiting, nil)
            case .failed(let reason): (.failed, reason)
            }
    }

    static func columns(in language: Language) -> [Column<Self>] {
        func header(_ text: Text) -> String { language[text].uppercased(with: language.locale) }
        return [
            Column(header(.commentsMessage), cell: \.message),
            Column(header(.terminalState)) { comment in
                let state = language[comment.state == .failed ? .terminalStateFailed : .terminalStateWaiting]
                return comment.reason.map { "\(state): \($0)" } ?? state
            },
            Column(header(.terminalImage)) { "\($0.imageID)".prefix(8).description },
            Column("ID") { "\($0.id)" },
        ]
    }
}
