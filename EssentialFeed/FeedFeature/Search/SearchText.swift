import Foundation

/// The words of a search text, in the form in which texts are compared.
package struct SearchText: Hashable, Sendable {
    /// The different words, folded.
    package let words: [String]

    /// Creates the words of a text; none for nil and for a blank text.
    package init(_ text: String?) {
        var known: Set<Substring> = []
        words = Self.folded(text ?? "")
            .split(whereSeparator: \.isWhitespace)
            .filter { known.insert($0).inserted }
            .map(String.init)
    }

    /// Returns an image's texts in the form that contains the folded words of a search.
    package static func searchable(_ texts: String?...) -> String {
        // A word has no line break, so it never matches across two texts.
        texts.compactMap(\.self).map(folded).joined(separator: "\n")
    }

    /// Returns whether every word is in an image's texts.
    package func matches(_ image: FeedImage) -> Bool {
        guard !words.isEmpty else { return true }
        let text = Self.searchable(image.description, image.caption, image.location).unicodeScalars
        return words.allSatisfy { text.firstRange(of: $0.unicodeScalars) != nil }
    }

    /// Returns a text in which neither case, diacritics nor the width of a character matter.
    ///
    /// The text is decomposed by compatibility (NFKD), so that letters and marks are apart. Each letter is converted
    /// to upper and then to lower case, because that unites ß and ss, and the two forms of a small sigma.
    package static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.isASCII {
                folded.append(scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar)
            } else if !scalar.isDiacritic {
                for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                    folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(folded)
    }
}

extension Unicode.Scalar {
    /// Whether this is a mark that readers leave out when they type, by its combining class.
    ///
    /// The points of Hebrew and Arabic have classes from 10 to 35, accents of most scripts from 200 to 240. Marks of
    /// the classes below make other letters, such as the nukta and the voicing marks of Kana.
    fileprivate var isDiacritic: Bool {
        switch properties.canonicalCombiningClass.rawValue {
        case 10...36, 200...240: true
        default: false
        }
    }
}
