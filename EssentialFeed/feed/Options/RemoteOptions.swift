import ArgumentParser
import Foundation

/// Which backend to ask.
struct RemoteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The backend's address.", valueName: "url"), transform: httpURL)
    var remote = RemoteOptions.standard

    static let standard = URL(string: "http://127.0.0.1:8080/") ?? URL(filePath: "/")
}

/// Reads an address that a request can be sent to.
///
/// - Throws: `ValidationError` that says what an address looks like.
@Sendable func httpURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        let host = url.host(), !host.isEmpty, (0...65_535).contains(url.port ?? 0)
    else {
        throw ValidationError("'\(text)' is not an address. Write one like http://127.0.0.1:8080/.")
    }
    return url
}
