import ArgumentParser
import Foundation

struct RemoteOptions: ParsableArguments {
    /// The default address of `feed serve`.
    static let standard = "http://127.0.0.1:8080/"

    @Option(
        help: ArgumentHelp(
            "The backend's address. (default: the variable FEED_REMOTE, or else \(RemoteOptions.standard))",
            valueName: "url"
        )
    )
    var remote: String?

    @Option(help: ArgumentHelp("The most seconds that a request may take, 1 to 3600.", valueName: "seconds"))
    var timeout = 30

    /// The longest duration of a request.
    var duration: Duration { .seconds(timeout) }

    var url: URL {
        get throws {
            if let remote { return try httpURL(remote) }
            // A shell may leave an empty variable behind.
            let variable = TerminalSettings.current.environment["FEED_REMOTE", default: ""]
            guard !variable.isEmpty else { return try httpURL(Self.standard) }
            do {
                return try httpURL(variable)
            } catch {
                throw ValidationError("FEED_REMOTE: \(error)")
            }
        }
    }

    func validate() throws {
        _ = try url
        guard 1...3_600 ~= timeout else { throw ValidationError("--timeout must be 1 to 3600, not \(timeout).") }
    }
}
