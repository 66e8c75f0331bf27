import DuetHTTP
import DuetTesting
import Foundation
import Testing

struct JSONValueTests {
    private func read(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    }

    private func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("1", .integer(1)),
            ("-1", .integer(-1)), ("1.0", .integer(1)), ("1.5", .number(1.5)), ("\"1\"", .string("1")),
            ("\"\"", .string("")),
            ("\"true\"", .string("true")), ("[]", .array([])), ("{}", .object([:])),
            ("[null, [1], {\"a\": true}]", .array([.null, .array([.integer(1)]), .object(["a": .bool(true)])])),
        ] as [(String, JSONValue)]
    )
    func `each kind of value is distinguished from the others`(json: String, value: JSONValue) throws {
        #expect(try read(json) == value)
    }

    @Test(
        arguments: [
            ("9007199254740993", .integer(9_007_199_254_740_993)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ] as [(String, JSONValue)]
    )
    func `a whole number is exact within 64 bits`(json: String, value: JSONValue) throws {
        #expect(try read(json) == value)
    }

    @Test func `values of all kinds read back as they were written`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let value = Self.value(depth: 4, using: &random)
            let json = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: json) == value, "seed \(seed)")
        }
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func `a value is read as deep as a thread's stack allows`(beyond: Int, isRead: Bool) {
        // The innermost of n arrays is at depth n - 1.
        let levels = JSONValue.maximumDepth + 1 + beyond
        #expect(((try? read(nested(levels))) != nil) == isRead)
    }

    @Test(arguments: [400, 512, 513, 100_000])
    func `a document of any depth is refused`(levels: Int) {
        #expect(throws: DecodingError.self) { try read(nested(levels)) }
    }

    @Test func `a number that JSON does not have is not written`() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(.infinity)) }
    }

    private static func value(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 7), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(.random(in: .min ... .max, using: &random))
        // Whole numbers would read back as integers.
        case 3: .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) + 0.5)
        case 4: .string(["", "a", "é", "\u{1F600}", "\"\\\n", "\u{0}"].randomElement(using: &random) ?? "")
        case 5: .array((0..<3).map { _ in value(depth: depth - 1, using: &random) })
        default:
            .object(
                Dictionary(uniqueKeysWithValues: ["", "a", "é"].map { ($0, value(depth: depth - 1, using: &random)) })
            )
        }
    }
}
