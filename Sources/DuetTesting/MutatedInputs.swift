/// Mutated copies of a corpus, determined by a seed.
package struct MutatedInputs {
    /// The largest input in bytes.
    package static let largest = 65_536

    private let corpus: [[UInt8]]
    private let tokens: [[UInt8]]
    private var random: SeededGenerator

    /// - Parameter tokens: Words with a meaning for the reader of the inputs.
    package init(of corpus: [String], tokens: [String], seed: UInt64) {
        self.corpus = corpus.map { Array($0.utf8) }
        self.tokens = tokens.map { Array($0.utf8) }
        random = SeededGenerator(seed: seed)
    }

    package mutating func next() -> [UInt8] {
        var input = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&input) }
        return Array(input.prefix(Self.largest))
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        let start = Int.random(in: 0...input.count, using: &random)
        let end = Int.random(in: start...min(input.count, start + 16), using: &random)
        let token = tokens.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where start < input.count: input[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: input.removeSubrange(start..<end)
        case 2: input.removeSubrange(start...)
        case 3: input.replaceSubrange(start..<end, with: token)
        case 4:
            let count = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 2...3_000, using: &random) : 1
            input.insert(contentsOf: Array(repeatElement(token, count: count).joined()), at: start)
        default:
            let other = corpus.randomElement(using: &random) ?? []
            input.replaceSubrange(start..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
        }
    }
}
