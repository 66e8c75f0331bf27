extension String {
    /// Whether a reader would see any of the characters: neither spaces nor characters without a picture, such as a
    /// zero-width space, count.
    package var isVisible: Bool {
        unicodeScalars.contains { scalar in
            let properties = scalar.properties
            switch properties.generalCategory {
            case .control, .format, .unassigned, .privateUse, .surrogate: return false
            // The blank pattern of Braille is a symbol.
            default: return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
            }
        }
    }
}
