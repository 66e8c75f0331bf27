import DuetTesting

/// One way to change an input.
enum Mutation: CaseIterable {
    /// A changed bit.
    case flip
    /// A changed byte.
    case overwrite
    /// A removed part.
    case remove
    /// A duplicated part.
    case repeating
    /// A missing end.
    case cut
    /// An inserted word of the language, perhaps very often.
    case insert
    /// A word in place of a part.
    case replace
    /// The end of another input.
    case splice
    /// Nested brackets.
    case nest

    func apply(
        to input: inout [UInt8],
        _ tokens: [String],
        _ other: [UInt8],
        _ random: inout SeededGenerator
    ) {
        let start = Int.random(in: 0...input.count, using: &random)
        let end = Int.random(in: start...min(input.count, start + 16), using: &random)
        let token = Array((tokens.randomElement(using: &random) ?? "").utf8)
        switch self {
        case .flip:
            guard start < input.count else { return }
            input[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .overwrite:
            guard start < input.count else { return }
            input[start] = [0, 0x0A, 0x25, 0x7F, 0x80, 0xC0, 0xED, 0xFF].randomElement(using: &random) ?? 0
        case .remove:
            input.removeSubrange(start..<end)
        case .repeating:
            input.insert(contentsOf: copies(Array(input[start..<end]), &random), at: start)
        case .cut:
            input.removeSubrange(start...)
        case .insert:
            input.insert(contentsOf: copies(token, &random), at: start)
        case .replace:
            input.replaceSubrange(start..<end, with: token)
        case .splice:
            input.replaceSubrange(start..., with: other.dropFirst(Int.random(in: 0...other.count, using: &random)))
        case .nest:
            let pairs = [("[", "]"), (#"{"a":"#, "}"), (#"{"text":"","replies":["#, "]}")]
            let (opening, closing) = pairs.randomElement(using: &random) ?? ("[", "]")
            let depth = [1, 30, 60, 200, 255, 600, 3_000].randomElement(using: &random) ?? 1
            let inner = Array(input[start..<end])
            let nested =
                [[UInt8]](repeating: Array(opening.utf8), count: depth).joined() + inner
                + [[UInt8]](repeating: Array(closing.utf8), count: depth).joined()
            input.replaceSubrange(start..<end, with: nested)
        }
    }

    private func copies(_ part: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        // Usually once, because an input with many repetitions tests little.
        let count = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 2...3_000, using: &random) : 1
        return Array([[UInt8]](repeating: part, count: count).joined())
    }
}
