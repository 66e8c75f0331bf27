import DuetHTTP
import DuetTesting
import Foundation

/// Properties of each kind that a URL can hold, with names that a coding changes.
struct Everything: Codable, Hashable {
    enum Colour: String, Codable, CaseIterable { case red, darkBlue = "dark&blue", empty = "" }
    enum Level: Int8, Codable { case low = -128, high = 127 }
    enum Shape: Codable, Hashable {
        case point
        case circle(radiusLength: Double, label: String?)
        case polygonWithURL(sides: [Int], homeURL: URL)
    }

    struct Inner: Codable, Hashable {
        var innerText: String?
        var innerNumbers: [Int64]
        var innerFlag: Bool?
        var deepest: Deepest?
    }

    struct Deepest: Codable, Hashable {
        var deepText: String?
        var deepDate: Date?
    }

    var text: String
    var maybeText: String?
    var flag: Bool
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var unsigned: UInt
    var unsigned8: UInt8?
    var unsigned16: UInt16
    var unsigned32: UInt32
    var unsigned64: UInt64
    var double: Double
    var float: Float?
    var decimal: Decimal
    var maybeUUID: UUID?
    var imageURL: URL
    var createdAt: Date
    var maybeDate: Date?
    var data: Data
    var colour: Colour
    var level: Level?
    var shape: Shape
    var maybeInner: Inner?
    var texts: [String]
    var maybeTexts: [String]?
    var dates: [Date]
    var colours: [Colour]?
}

extension SeededGenerator {
    mutating func everything() -> Everything {
        Everything(
            text: text(),
            maybeText: optional { $0.text() },
            flag: .random(using: &self),
            int: integer(),
            int8: integer(),
            int16: integer(),
            int32: integer(),
            int64: integer(),
            unsigned: integer(),
            unsigned8: optional { $0.integer() },
            unsigned16: integer(),
            unsigned32: integer(),
            unsigned64: integer(),
            double: double(),
            float: optional { Float($0.double()) }.flatMap { $0.isFinite ? $0 : nil },
            decimal: decimal(),
            maybeUUID: optional { $0.uuid() },
            imageURL: URL(string: "https://example.org/a%2Fb?c=d&e=\(integer(UInt8.self))#f") ?? URL(filePath: "/"),
            createdAt: date(),
            maybeDate: optional { $0.date() },
            data: data(),
            colour: Everything.Colour.allCases.randomElement(using: &self) ?? .red,
            level: [.low, .high, nil].randomElement(using: &self) ?? nil,
            shape: shape(),
            maybeInner: optional { $0.inner() },
            texts: list { $0.text() },
            maybeTexts: optional { $0.list { $0.text() } },
            dates: list { $0.date() },
            colours: optional { $0.list { Everything.Colour.allCases.randomElement(using: &$0) ?? .red } }
        )
    }

    private mutating func shape() -> Everything.Shape {
        switch Int.random(in: 0...2, using: &self) {
        case 0: .point
        case 1: .circle(radiusLength: double(), label: optional { $0.text() })
        default: .polygonWithURL(sides: list { $0.integer() }, homeURL: URL(filePath: "/a b/é"))
        }
    }

    private mutating func inner() -> Everything.Inner {
        Everything.Inner(
            innerText: optional { $0.text() },
            innerNumbers: list { $0.integer() },
            innerFlag: optional { .random(using: &$0) },
            deepest: optional { generator in
                Everything.Deepest(
                    deepText: generator.optional { $0.text() },
                    deepDate: generator.optional { $0.date() }
                )
            }
        )
    }
}
