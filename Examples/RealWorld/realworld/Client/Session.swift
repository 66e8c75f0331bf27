import ArgumentParser
import Duet
import DuetAsyncHTTPClient
import DuetCaching
import DuetHTTP
import DuetSQLite
import Foundation

/// The options of all commands that send messages.
struct ClientOptions: ParsableArguments {
    @Option(help: "The address of the API. (default: $REALWORLD_SERVER, or http://127.0.0.1:8080/api)")
    var server: String?

    @Option(help: "The folder of the stored values. (default: $XDG_CACHE_HOME/realworld, or ~/.cache/realworld)")
    var cache: String?

    /// Runs `body` with a dispatcher, and stores the values that it has read.
    func withDispatcher(sendsToken: Bool = true, _ body: (any Dispatcher) async throws -> Void) async throws {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let address = server ?? environment["REALWORLD_SERVER"] ?? "http://127.0.0.1:8080/api"
        let token = sendsToken ? environment["REALWORLD_TOKEN"] : nil
        let caches = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? NSHomeDirectory())/.cache"
        let folder = URL(filePath: cache ?? "\(caches)/realworld")
        let store = try await SQLiteCacheStore(path: storePath(in: folder, server: address, token: token))
        try await withNIOHTTPClient { client in
            let dispatcher = try makeClient(client, at: try BaseURL(address), token: token, store: store)
            do {
                try await body(dispatcher)
            } catch {
                try? await dispatcher.cache.flush()
                throw error
            }
            try await dispatcher.cache.flush()
        }
    }
}

extension Dispatcher {
    /// Returns the value of a query, and says on standard error why it is an older one.
    ///
    /// - Throws: A refusal, for which an older value is no substitute.
    func value<Q: Query>(of query: Q) async throws -> Q.Value where Q.Value: Sendable {
        let result = try await read(query)
        if let refusal = result.error as? Refusal { throw refusal }
        if result.isStale, let error = result.error {
            warn("Saved \(result.age.formatted(.units(width: .wide, maximumUnitCount: 1))) ago, because \(error)")
        }
        return result.value
    }
}

/// Reads the password from `REALWORLD_PASSWORD` or, without echo, from the terminal.
func readPassword() throws -> String {
    if let password = ProcessInfo.processInfo.environment["REALWORLD_PASSWORD"] { return password }
    guard let text = unsafe getpass("Password: ") else {
        throw ValidationError("There is no terminal for the password. Set REALWORLD_PASSWORD.")
    }
    return unsafe String(cString: text)
}

/// Reads a text from standard input, of at most one megabyte.
func readText() throws -> String {
    let data = try FileHandle.standardInput.read(upToCount: 1_000_001) ?? Data()
    guard data.count <= 1_000_000, let text = String(bytes: data, encoding: .utf8) else {
        throw ValidationError("Standard input is longer than 1,000,000 bytes, or not UTF-8.")
    }
    return text
}

func show(_ text: String) { write(text, to: .standardOutput) }

func warn(_ text: String) { write(text, to: .standardError) }

private func write(_ text: String, to file: FileHandle) {
    try? file.write(contentsOf: Data("\(text.visible)\n".utf8))
}

extension String {
    /// The text without characters that control a terminal, except for its lines.
    var visible: String {
        String(
            UnicodeScalarView(
                unicodeScalars.filter {
                    $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
                }
            )
        )
    }

    /// The visible text as one line.
    var line: String { visible.replacing("\n", with: " ") }
}
