import ArgumentParser
import Duet
import DuetHTTP
import FeedComposition
import FeedFeature
import Foundation

/// The backend that receives commands, and the token for it.
///
/// The token is not an argument, because every process on the machine can read the arguments of the others.
struct SenderOptions: ParsableArguments {
    @OptionGroup var remote: RemoteOptions

    @Option(
        help: ArgumentHelp(
            "The file that contains the token; - for standard input. (default: the environment variable FEED_TOKEN)",
            valueName: "file"
        ),
        completion: .file(),
        transform: filePath
    )
    var tokenFile: String?

    @Flag(help: "Send the token to another machine even over http, where others on the network can read it.")
    var tokenOverHttp = false

    @OptionGroup var log: LogOptions

    /// Checks that standard input has one purpose only.
    ///
    /// - Throws: `ValidationError`.
    func validate(standardInputIsUsed: Bool) throws {
        if standardInputIsUsed, tokenFile == "-" {
            throw ValidationError("Standard input cannot contain both. Use a file or FEED_TOKEN for the token.")
        }
    }

    /// Runs `body` with the dispatcher of a client that has the token.
    ///
    /// - Throws: ``CommandError`` with advice, if a token is missing, invalid or without the permission.
    func withDispatcher<Value: Sendable>(
        body: @Sendable (_ dispatcher: any Dispatcher) async throws -> Value
    ) async throws -> Value {
        try await withOutbox(nil) { dispatcher, _ in try await body(dispatcher) }
    }

    /// Runs `body` with the dispatcher and the outbox of a client that has the token; nil for an outbox in memory.
    ///
    /// - Throws: ``CommandError`` with advice, if a token is missing, invalid or without the permission.
    func withOutbox<Value: Sendable>(
        _ outbox: OutboxOptions?,
        onlyReads: Bool = false,
        body: @Sendable (_ dispatcher: any Dispatcher, _ outbox: any CommentOutbox) async throws -> Value
    ) async throws -> Value {
        let options = try ClientOptions(
            remote: remote.url,
            timeout: remote.duration,
            cache: nil,
            credentials: credentials(),
            outbox: outbox?.url,
            // In memory, a comment would end with this program.
            isOutboxRequired: true,
            onlyReads: onlyReads
        )
        do {
            return try await FeedClient.withOutbox(
                options,
                environment: log.environment(),
                onWarning: Terminal.warning,
                body: body
            )
        } catch let error as AuthorizationError {
            throw CommandError(advice(for: error), status: .denied)
        } catch let error as ExposedToken {
            throw CommandError("\(error) To send it over http anyway, add --token-over-http.", status: .denied)
        }
    }

    private func advice(for error: AuthorizationError) -> String {
        switch error {
        case .unauthenticated:
            """
            The server requires a valid token for this. Create one with "feed token create" on the backend's machine, and \
            pass it in FEED_TOKEN or with --token-file.
            """
        case .forbidden:
            """
            The token does not permit this. Create another with "feed token create --scope" on the backend's machine. \
            "feed token list" shows the permissions of each token. An image belongs to the token that published it; \
            others need the permission "moderate".
            """
        }
    }

    /// - Throws: ``CommandError`` when the file cannot be read, or its text cannot be a token.
    private func credentials() throws -> Credentials? {
        guard let (text, source) = try tokenText() else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isBearerToken else {
            throw CommandError(
                #"\#(source) does not contain a token, which is one word. Create one with "feed token create"."#,
                status: .denied
            )
        }
        return Credentials(token: token, allowsPlainHTTP: tokenOverHttp)
    }

    /// Returns the text that should be the token, and its source for error messages; nil if neither source is set.
    private func tokenText() throws -> (text: String, source: String)? {
        guard let tokenFile else {
            // A shell may leave an empty variable behind.
            guard let text = TerminalSettings.current.environment["FEED_TOKEN"], !text.isEmpty else { return nil }
            return (text, "FEED_TOKEN")
        }
        guard tokenFile != "-" else {
            return (String(decoding: try Terminal.read(), as: UTF8.self), "Standard input")
        }
        do {
            return (try String(contentsOf: URL(filePath: tokenFile), encoding: .utf8), tokenFile)
        } catch {
            throw CommandError(
                "\(tokenFile) cannot be read: \(error.plainReason). Choose a file that contains a token."
            )
        }
    }
}
