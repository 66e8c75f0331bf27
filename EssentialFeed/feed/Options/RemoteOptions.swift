import ArgumentParser
import Duet
import DuetHTTP
import FeedComposition
import FeedFeature
import Foundation

/// The backend's address.
struct RemoteOptions: ParsableArguments {
    /// The default address of `feed serve`.
    static let standard = "http://127.0.0.1:8080/"

    @Option(help: ArgumentHelp("The backend's address.", valueName: "url"))
    var remote = RemoteOptions.standard

    var url: URL {
        get throws { try httpURL(remote) }
    }

    func validate() throws {
        _ = try url
    }
}

/// The backend that receives commands, and the token for it.
///
/// The token is not an argument, because every process on the machine can read the arguments of the others.
struct SenderOptions: ParsableArguments {
    @OptionGroup
    var remote: RemoteOptions

    @Option(
        help: ArgumentHelp(
            "The file that contains the token. (default: the environment variable FEED_TOKEN)",
            valueName: "file"
        ),
        transform: filePath
    )
    var tokenFile: String?

    @Flag(help: "Send the token to another machine even over http, where others on the network can read it.")
    var tokenOverHttp = false

    @OptionGroup
    var log: LogOptions

    /// Sends a command to the backend.
    ///
    /// - Throws: ``CommandError`` with advice, if a token is missing, invalid or without the permission.
    func send<C: Command & Sendable>(_ command: C) async throws {
        let options = try ClientOptions(remote: remote.url, cache: nil, credentials: credentials())
        do {
            try await FeedClient.withDispatcher(options, environment: log.environment(), onWarning: Terminal.note) {
                try await $0.dispatch(command)
            }
        } catch let error as AccessDenied {
            throw CommandError("\(error) \(advice(for: error))")
        } catch let error as ExposedToken {
            throw CommandError("\(error) To send it over http anyway, add --token-over-http.")
        }
    }

    private func advice(for error: AccessDenied) -> String {
        switch error {
        case .unknownSender:
            "Create one with \"feed token\" on the backend's machine, and pass it in FEED_TOKEN or with --token-file."
        case .notPermitted:
            """
            Create another with "feed token --scope" on the backend's machine. "feed token list" shows the permissions \
            of each token.
            """
        }
    }

    /// - Throws: ``CommandError`` when the file cannot be read, or its text cannot be a token.
    private func credentials() throws -> Credentials? {
        guard let (text, source) = try tokenText() else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isBearerToken else {
            throw CommandError(
                #"\#(source) does not contain a token, which is one word. Create one with "feed token"."#
            )
        }
        return Credentials(token: token, allowsPlainHTTP: tokenOverHttp)
    }

    /// Returns the text that should be the token, and its source for error messages; nil if neither source is set.
    private func tokenText() throws -> (text: String, source: String)? {
        guard let tokenFile else {
            // A shell may leave an empty variable behind.
            guard let text = ProcessInfo.processInfo.environment["FEED_TOKEN"], !text.isEmpty else { return nil }
            return (text, "FEED_TOKEN")
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
