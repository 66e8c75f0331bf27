/// A text by strangers whose web addresses are links.
///
/// Only what reads as the address it leads to is a link: `http` or `https`, an ASCII host without a user in front of
/// it, and no invisible characters within.
public struct LinkedText: Hashable, Sendable {
    /// A part of the text, as it is written.
    public struct Part: Hashable, Sendable {
        /// The words of the part; for a link, its address.
        public let words: String

        /// Whether the words are the address of a link.
        public let isLink: Bool
    }

    /// The largest number of links, so that a short text does not become a long page; further addresses remain text.
    public static let linkLimit = 20

    /// The parts, which together are the whole text.
    public let parts: [Part]

    /// Finds the addresses in a text, in time linear in its length.
    public init(_ text: String) {
        let scalars = text.unicodeScalars
        var parts: [Part] = []
        var links = 0
        var (plain, index) = (scalars.startIndex, scalars.startIndex)
        var isInWord = false
        while index < scalars.endIndex, links < Self.linkLimit {
            if !isInWord, let address = Address(scalars[index...]) {
                if plain < index { parts.append(Part(words: String(scalars[plain..<index]), isLink: false)) }
                parts.append(Part(words: String(scalars[index..<address.end]), isLink: true))
                links += 1
                (plain, index) = (address.end, address.end)
            } else {
                isInWord = scalars[index].isWord
                index = scalars.index(after: index)
            }
        }
        if plain < scalars.endIndex { parts.append(Part(words: String(scalars[plain...]), isLink: false)) }
        self.parts = parts
    }
}

/// A web address at the beginning of a text.
private struct Address {
    let end: String.UnicodeScalarView.Index

    /// Creates the address; nil if the text does not begin with one.
    init?(_ text: Substring.UnicodeScalarView) {
        guard let scheme = ["https://", "http://"].first(where: { String(text.prefix($0.count)).lowercased() == $0 })
        else { return nil }
        var rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0.isASCIIAlphanumeric || $0 == "-" || $0 == "." }
        guard let first = host.first, first.isASCIIAlphanumeric else { return nil }
        rest = rest[host.endIndex...]
        var end = host.endIndex
        if rest.first == ":" {
            let port = rest.dropFirst().prefix { ("0"..."9").contains($0) }
            // A colon without a port belongs to the sentence.
            if !port.isEmpty {
                guard let number = Int(String(port)), number <= 65_535 else { return nil }
                end = port.endIndex
                rest = rest[end...]
            } else if rest.dropFirst().first?.isWord == true {
                return nil
            }
        }
        // Behind a user's name, or in an alphabet that looks like another one, the host is not what it seems.
        guard rest.first.map({ !$0.isWord && !"@\\%".unicodeScalars.contains($0) }) ?? true else { return nil }
        if let separator = rest.first, "/?#".unicodeScalars.contains(separator) {
            end = rest.prefix(while: \.isInAddress).endIndex
        }
        self.end = Self.endOfAddress(text[..<end])
    }

    /// Returns the end of an address without the punctuation of its sentence, such as a bracket that it does not open.
    private static func endOfAddress(_ address: Substring.UnicodeScalarView) -> String.UnicodeScalarView.Index {
        var rest = address
        var surplus: [Unicode.Scalar: Int] = [:]
        for (open, close) in [("(", ")"), ("[", "]")] as [(Unicode.Scalar, Unicode.Scalar)] {
            surplus[close] = address.count { $0 == close } - address.count { $0 == open }
        }
        while let last = rest.last {
            if let count = surplus[last], count > 0 {
                surplus[last] = count - 1
            } else if !".,;:!?'*".unicodeScalars.contains(last) {
                break
            }
            rest.removeLast()
        }
        return rest.endIndex
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIIAlphanumeric: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }

    /// Whether it is a letter, a digit, a mark on them, or an underscore.
    fileprivate var isWord: Bool {
        guard !isASCII else { return isASCIIAlphanumeric || self == "_" }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            return true
        default:
            return false
        }
    }

    /// Whether it is visible, and may be behind the host of an address.
    fileprivate var isInAddress: Bool {
        guard isASCII else { return isWord && !properties.isDefaultIgnorableCodePoint }
        return ("!"..."~").contains(self) && !"\"<>\\^`{|}".unicodeScalars.contains(self)
    }
}
