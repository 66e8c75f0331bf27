import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Equal values are equal JSON, in every process.
struct JSONWritingTests {
    struct Labels: HTTPCommand {
        static let route: CommandRoute<Self> = .put("labels/{id}")
        var id = 1
        var weights = Dictionary(uniqueKeysWithValues: (0..<40).map { ("label \($0)", $0) })
        var byNumber = Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, "\($0)") })
    }

    @Test
    func `the members of objects are sorted by name`() throws {
        #expect(try text(["b": 1, "a": 2, "c": 3]) == #"{"a":2,"b":1,"c":3}"#)
        #expect(try text([["z": ["n": 1, "m": 2], "y": ["l": 0]]]) == #"[{"y":{"l":0},"z":{"m":2,"n":1}}]"#)
        #expect(try text(Derived(name: "n", size: 3)) == #"{"name":"n","size":3,"super":{"name":"n"}}"#)
    }

    @Test
    func `a slash is not escaped`() throws {
        #expect(try text(["a/b"]) == #"["a/b"]"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a dictionary is the same bytes in every process`() async throws {
        let first = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try JSONWritingTests.printBody()
        }
        let second = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try JSONWritingTests.printBody()
        }
        let body = try #require(try MessageCoder<Labels>(HTTPSettings()).encode(Labels()).body)
        #expect(first.standardOutputContent.contains(body))
        #expect(second.standardOutputContent.contains(body))
    }

    private static func printBody() throws {
        let body = try MessageCoder<Labels>(HTTPSettings()).encode(Labels()).body
        try FileHandle.standardOutput.write(contentsOf: body ?? Data())
    }

    @Test
    func `the keys of dictionaries stay as they are in snake case`() throws {
        let json = JSONCoder(HTTPCoding(keys: .snakeCase))
        let value = ["someKey": [Suit.spadeSuit: [7: Sized(fullSize: 1)]]]
        let data = try json.encode(value)
        #expect(String(decoding: data, as: UTF8.self) == #"{"someKey":{"spadeSuit":{"7":{"full_size":1}}}}"#)
        #expect(try json.decode([String: [Suit: [Int: Sized]]].self, from: data) == value)
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
        #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["a", "1"])
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoder().encode(value), as: UTF8.self)
    }
}

private enum Suit: String, Codable, CodingKeyRepresentable { case spadeSuit }

private struct Sized: Codable, Equatable {
    let fullSize: Int
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
