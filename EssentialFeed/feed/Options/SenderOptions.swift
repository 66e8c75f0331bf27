import ArgumentParser
import Duet
import DuetHTTP
import FeedComposition
import FeedFeature
import Foundation

/// The backend to send commands to, and the token to show to it.
///
/// The token is no argument: every process on the machine could see it in the list of processes.
struct SenderOptions: ParsableArguments {
    @OptionGroup
    var remote: RemoteOptions

    @Option(
        help: ArgumentHelp(
            "A file that holds the token. (default: the environment variable FEED_TOKEN)",
            valueName: "file"
        ),
        transform: filePath
    )
    var tokenFile: String?

    @Flag(help: "Send the token over http to another machine too, where it can be read on the way.")
    var tokenOverHttp = false

    @OptionGroup
    var log: LogOptions

    /// Has a command done by the backend.
    ///
    /// - Throws: ``CommandError`` that says how to get a token, where one is missing or not enough.
    func send<C: Command & Sendable>(_ command: C) async throws {
        let options = try ClientOptions(remote: remote.url, cache: nil, credentials: credentials())
        do {
            try await FeedClient.withDispatcher(options, environment: log.environment(), onWarning: Terminal.note) {
                try await $0.dispatch(command)
            }
        } catch let error as AccessDenied {
            throw CommandError("\(error) \(advice(for: error))")
        } catch let error as ExposedToken {
            throw CommandError("\(error) That is --token-over-http.")
        }
    }

    private func advice(for error: AccessDenied) -> String {
        switch error {
        case .unknownSender:
            "On the backend's machine feed token makes one; give it in FEED_TOKEN or with --token-file."
        case .notPermitted:
            "On the backend's machine feed token --scope makes one that does; feed token list shows what each permits."
        }
    }

    /// - Throws: ``CommandError`` when the file cannot be read, or what there is cannot be a token.
    private func credentials() throws -> Credentials? {
        guard let (text, place) = try tokenText() else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.isBearerToken else {
            throw CommandError("\(place) does not hold a token, which is one word. feed token makes one.")
        }
        return Credentials(token: token, allowsPlainHTTP: tokenOverHttp)
    }

    /// What stands where the token should be, and the place for a person; nil when no place was named.
    private func tokenText() throws -> (text: String, place: String)? {
        guard let tokenFile else {
            // An empty variable is none, as a shell leaves it behind.
            guard let text = ProcessInfo.processInfo.environment["FEED_TOKEN"], !text.isEmpty else { return nil }
            return (text, "FEED_TOKEN")
        }
        do {
            return (try String(contentsOf: URL(filePath: tokenFile), encoding: .utf8), tokenFile)
        } catch {
            throw CommandError("\(tokenFile) cannot be read: \(error.plainReason). Name a file that holds a token.")
        }
    }
}
