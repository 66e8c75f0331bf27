import DuetContext
import DuetHTTP
import Foundation
import FuzzTesting

/// The check for long runs of combining characters: it agrees with the standard library, and what passes is read.
enum TextTarget {
    static func read(_ input: [UInt8]) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        if ForeignText.hasLongRun(input) != isLong(text) { return .fault("The runs of the text are not counted right") }
        guard ForeignText.fault(inJSON: input) == nil else { return .fine }
        // Compared only after the check.
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(input)) else { return .fine }
        return FuzzVerdict(texts(in: value).first(where: isLong).map { "\($0.utf8.count) bytes passed" })
    }

    private static func isLong(_ text: String) -> Bool {
        var run = 0
        for scalar in text.unicodeScalars {
            let isMark = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first.map {
                $0.properties.canonicalCombiningClass != .notReordered
            }
            run = isMark == true ? run + 1 : 0
            if run > ForeignText.markLimit { return true }
        }
        return false
    }

    private static func texts(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.flatMap(texts)
        case .object(let members): members.flatMap { [$0.key] + texts(in: $0.value) }
        default: []
        }
    }
}
