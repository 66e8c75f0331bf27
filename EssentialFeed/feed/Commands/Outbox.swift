import ArgumentParser
import FeedComposition
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

    /// The options of all subcommands.
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
            try output.format.printList(
                comments,
                emptyNote: output.text(.terminalNoWaitingComments),
                columns: [language[.commentsMessage], output.text(.terminalState), output.text(.terminalImage), "ID"]
                    .map { $0.uppercased(with: language.locale) }
            ) { waiting in
                let (comment, isFailed) = (waiting.comment, waiting.isFailed)
                let state = output.text(isFailed ? .terminalStateFailed : .terminalStateWaiting)
                return (
                    [
                        "id": comment.id,
                        "imageID": comment.imageID,
                        "message": comment.message,
                        "username": comment.username,
                        "keptAt": waiting.date,
                        "state": isFailed ? "failed" : "waiting",
                        "reason": waiting.reason,
                    ],
                    [
                        comment.message,
                        waiting.reason.map { "\(state): \($0)" } ?? state,
                        String("\(comment.imageID)".prefix(8)),
                        "\(waiting.id)",
                    ]
                )
            }
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
                JSON:
                  {"items": [{"id", "imageID", "message", "username", "keptAt", "state", "reason"}]}
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

extension WaitingComment {
    /// The reason why it waits or failed.
    fileprivate var reason: String? {
        switch state {
        case .waiting(let reason): reason
        // Nobody sends it before this program or another one tries.
        case .sending: nil
        case .failed(let reason): reason
        }
    }
}
