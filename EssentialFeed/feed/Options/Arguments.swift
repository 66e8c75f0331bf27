import ArgumentParser
import Foundation

/// Reads the path of a file or a folder.
///
/// An unset variable leaves an empty path, which would name the current folder.
///
/// - Throws: `ValidationError` for an empty path.
@Sendable func filePath(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("The path is empty. Give the path of a file or a folder.") }
    return text
}

/// Reads the id of a new image.
///
/// - Throws: `ValidationError` with an example of an id.
@Sendable func imageID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError("'\(text)' is not an id. Write one like 8112E60D-949B-5F7E-BDED-DBE3CABE2D36.")
    }
    return id
}

/// Reads an http or https URL.
///
/// - Throws: `ValidationError` with an example of an address.
@Sendable func httpURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        let host = url.host(), !host.isEmpty, (0...65_535).contains(url.port ?? 0)
    else {
        throw ValidationError("'\(text)' is not an http or https address. Write one like \(RemoteOptions.standard)")
    }
    return url
}
