extension StringProtocol {
    /// Third-party text for a message to a person: quoted, at most 64 characters, without control characters.
    var quoted: String { "“\(excerpt(64))”" }

    /// A third-party sentence as part of another sentence: at most 200 characters, without control characters.
    var loggable: String {
        let text = excerpt(200)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Limits scalars, since a character may have any number of them, and replaces those that a terminal interprets.
    private func excerpt(_ limit: Int) -> String {
        let scalars = unicodeScalars.prefix(limit + 1).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: Unicode.Scalar(" ")
            default: scalar
            }
        }
        let text = String(String.UnicodeScalarView(scalars.prefix(limit)))
        return scalars.count > limit ? text + "…" : text
    }
}
