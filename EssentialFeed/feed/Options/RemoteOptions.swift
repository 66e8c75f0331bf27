import ArgumentParser
import Foundation

/// Which backend to ask.
struct RemoteOptions: ParsableArguments {
    /// Where `feed serve` listens unless told otherwise.
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

/// Reads an address that a request can be sent to.
///
/// - Throws: `ValidationError` that says what an address looks like.
@Sendable func httpURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        let host = url.host(), !host.isEmpty, (0...65_535).contains(url.port ?? 0)
    else {
        throw ValidationError("'\(text)' is not an address. Write one like \(RemoteOptions.standard)")
    }
    return url
}
