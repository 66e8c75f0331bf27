import ArgumentParser
import Foundation

/// Reads the id of an image.
///
/// - Throws: `ValidationError` that says what an id looks like.
@Sendable func imageID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError("'\(text)' is not an id. Write one like 7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0.")
    }
    return id
}
