extension String {
    /// The number of columns that the text takes in a terminal.
    var columns: Int {
        reduce(0) { $0 + $1.columns }
    }

    /// Returns the text if it fits, or else its beginning with an ellipsis.
    func truncated(to limit: Int) -> String {
        guard columns > limit else { return self }
        var width = 0
        let beginning = prefix { character in
            width += character.columns
            return width < limit
        }
        return limit > 0 ? beginning + "…" : ""
    }
}

extension Character {
    /// The number of columns: two for a wide character of East Asia or an emoji, none for an invisible one.
    var columns: Int {
        // A character with the variation selector 16 is an emoji, such as a heart.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: 0
        default: properties.isEmojiPresentation || isWide ? 2 : 1
        }
    }

    /// Whether the property `East_Asian_Width` (Unicode Standard Annex 11) is wide or full-width; emoji are excluded.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
