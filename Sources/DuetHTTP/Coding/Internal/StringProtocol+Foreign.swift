extension StringProtocol {
    /// A foreign text for a message to a person: in quotes, cut to 64 characters, and without control characters.
    var quoted: String { "“\(excerpt(64))”" }

    /// A foreign sentence, to be part of another one.
    var loggable: String {
        let text = excerpt(200)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Cut by scalars, of which a character may have any number; without those that a terminal would obey.
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
