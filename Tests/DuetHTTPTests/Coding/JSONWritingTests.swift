import DuetHTTP
import DuetTesting
import Foundation
import Testing

/// JSON as it is written here means what Foundation's means, and is the same bytes for equal values.
struct JSONWritingTests {
    private static var values: [any Encodable] {
        [
            "", "a", "\"\\/\u{0}\u{1F}\u{7F}\n\r\t\u{8}\u{C}é😀\u{2028}", true, false, 0, -1, Int.min, UInt64.max,
            Int8(-8),
            0.1, -0.0, 1e300, Double.leastNonzeroMagnitude, 12.0, Float(0.1), Optional<Int>.none, Optional("x"),
            Decimal(string: "12.345"),
            URL(string: "https://example.com/a?b=c"), Data([0, 1, 255]),
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)),
            [Int](), [[1], [], [2, 3]], [String: Int](), ["b": ["y": 1, "x": 2], "a": [:]], [2: "two", 1: "one"],
            [Suit.hearts: 1], [1.5: "not a key"], Suit.hearts, Shape.circle(radius: 2), Shape.point, [Shape.square(3)],
            Wrapped(Wrapped(7)),
            Nothing(), [Nothing()], Interleaved(), Derived(name: "n", size: 3), [Interleaved()],
            Optional(Interleaved()),
            ["a": Derived(name: "n", size: 3)],
        ]
    }

    @Test(arguments: values.indices)
    func `a value means what it means to Foundation`(index: Int) throws {
        let value = Self.values[index]
        let ours = try JSONSerialization.jsonObject(with: JSONCoder().encode(value), options: .fragmentsAllowed)
        let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value), options: .fragmentsAllowed)
        #expect(ours as? NSObject == theirs as? NSObject, "\(value)")
    }

    @Test
    func `the members of a dictionary are in the order of their names, and those of a struct in its own`() throws {
        #expect(try text(["b": 1, "a": 2, "c": 3]) == #"{"a":2,"b":1,"c":3}"#)
        #expect(try text([["z": ["n": 1, "m": 2], "y": ["l": 0]]]) == #"[{"y":{"l":0},"z":{"m":2,"n":1}}]"#)
        #expect(try text(Derived(name: "n", size: 3)) == #"{"name":"n","super":{"name":"n"},"size":3}"#)
    }

    @Test
    func `generated values read back as they were`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let value = Tree.random(depth: 4, using: &random)
            let data = try JSONCoder().encode(value)
            #expect(try JSONDecoder().decode(Tree.self, from: data) == value, "seed \(seed)")
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `a number that is not finite is refused with the path to it`(number: Double) throws {
        let error = try #require(throws: EncodingError.self) { try text(["a": [0, number]]) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
    }

    @Test
    func `a value that is two things at once is refused, and so is a container that is used when it has ended`() {
        #expect(throws: EncodingError.self) { try text(TwoThings()) }
        #expect(throws: EncodingError.self) { try text([Late()]) }
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoder().encode(value), as: UTF8.self)
    }
}

private enum Suit: String, Codable, CodingKeyRepresentable { case hearts }

private enum Shape: Codable {
    case circle(radius: Double)
    case square(Int)
    case point
}

private struct Nothing: Codable {}

private struct Wrapped<Value: Codable & Sendable>: Codable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// Writes to two nested containers in turn, and to itself in between.
private struct Interleaved: Encodable {
    enum Key: CodingKey { case first, second, third }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var first = container.nestedUnkeyedContainer(forKey: .first)
        var second = container.nestedContainer(keyedBy: Key.self, forKey: .second)
        try first.encode(1)
        try second.encode("s", forKey: .first)
        try container.encode([true], forKey: .third)
        var nested = first.nestedUnkeyedContainer()
        try second.encodeNil(forKey: .second)
        try first.encode(["k": 2])
        try nested.encode(3)
        var deep = nested.superEncoder().singleValueContainer()
        try deep.encode("deep")
    }
}

private class Base: Encodable {
    let name: String

    init(name: String) { self.name = name }
}

private final class Derived: Base {
    enum Key: CodingKey { case name, size }
    let size: Int

    init(name: String, size: Int) {
        self.size = size
        super.init(name: name)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try super.encode(to: container.superEncoder())
        var again = encoder.container(keyedBy: Key.self)
        try again.encode(size, forKey: .size)
    }
}

private struct TwoThings: Encodable {
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        _ = encoder.container(keyedBy: CodingKeys.self)
    }

    enum CodingKeys: CodingKey {}
}

private struct Late: Encodable {
    struct Inner: Encodable {
        let keep: (any UnkeyedEncodingContainer) -> Void

        func encode(to encoder: any Encoder) throws { keep(encoder.unkeyedContainer()) }
    }

    func encode(to encoder: any Encoder) throws {
        var kept: (any UnkeyedEncodingContainer)?
        var container = encoder.unkeyedContainer()
        try container.encode(Inner { kept = $0 })
        try kept?.encode(1)
    }
}

private indirect enum Tree: Codable, Equatable {
    case text(String)
    case number(Double)
    case whole(Int64)
    case list([Tree])
    case members([String: Tree])
    case maybe(Tree?)

    static func random(depth: Int, using random: inout SeededGenerator) -> Tree {
        switch Int.random(in: 0..<(depth == 0 ? 3 : 6), using: &random) {
        case 0: .text(Self.text(&random))
        case 1: .number(Double(bitPattern: random.next()).finite)
        case 2: .whole(Int64(bitPattern: random.next()))
        case 3: .list((0..<3).map { _ in Self.random(depth: depth - 1, using: &random) })
        case 4:
            .members(
                Dictionary((0..<3).map { _ in (Self.text(&random), Self.random(depth: depth - 1, using: &random)) }) {
                    $1
                }
            )
        default: .maybe(Bool.random(using: &random) ? Self.random(depth: depth - 1, using: &random) : nil)
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                    Unicode.Scalar(UInt32.random(in: 0..<0xD800, using: &random)) ?? "x"
                }
            )
        )
    }
}

extension Double {
    fileprivate var finite: Double { isFinite ? self : 0 }
}
