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

    /// The name as readers may see it: without characters that are invisible or that change the direction of others.
    ///
    /// With them, a name can look like another one. Joiners and variation selectors stay where they change what is
    /// drawn: in emoji, between letters of scripts such as Persian and Hindi, and behind ideographs. The tags of a few
    /// flags do not stay.
    package var asName: String {
        let scalars = Array(unicodeScalars)
        var name = String.UnicodeScalarView()
        for (scalar, next) in zip(scalars, scalars.dropFirst().map(Optional.some) + [nil])
        where !scalar.isHidden || scalar.isDrawn(between: name.last, and: next) {
            name.append(scalar)
        }
        return String(name)
    }

    /// Whether this is a name as readers may see it.
    package var isName: Bool { asName.unicodeScalars.count == unicodeScalars.count }
}

extension Unicode.Scalar {
    /// Whether it is invisible, or controls how others are shown (UAX #44, sections 5.7.1 and 5.3).
    fileprivate var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }

    /// Whether this invisible character changes what is drawn for the ones beside it.
    fileprivate func isDrawn(between last: Self?, and next: Self?) -> Bool {
        guard let last else { return false }
        return switch value {
        case 0x200C: last.isShapedByJoiners && next?.isShapedByJoiners == true
        case 0x200D:
            last.isShapedByJoiners && next?.isShapedByJoiners == true
                || (last.isEmoji || last.value == 0xFE0F) && next?.isEmoji == true
        case 0xFE0E...0xFE0F where last.isEmoji: true
        case 0xFE00...0xFE0F, 0xE0100...0xE01EF: last.properties.isIdeographic
        default: false
        }
    }

    private var isEmoji: Bool { properties.isEmoji && !isASCII }

    /// Whether it is of a block from Arabic to Sinhala.
    private var isShapedByJoiners: Bool { (0x600...0xDFF).contains(value) && !isHidden }
}
