import FeedFeature

/// Checks that a text is read back as it was written: SQLite's C strings end at U+0000.
///
/// - Throws: `InvalidMessage` that names the field.
func checkStorable(_ text: String?, field: String) throws {
    guard text?.utf8.contains(0) != true else {
        throw InvalidMessage(field: field, reason: "must not contain the character U+0000")
    }
}
