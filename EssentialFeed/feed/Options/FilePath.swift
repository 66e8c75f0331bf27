import ArgumentParser

/// Reads the path of a file or folder: an empty one, such as an unset variable leaves, would name the current folder.
///
/// - Throws: `ValidationError`.
@Sendable func filePath(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("The path is empty. Name a file or a folder.") }
    return text
}
