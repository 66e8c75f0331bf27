import Crypto
import DuetHTTP
import Foundation

/// A strong entity tag of content, with its quotes (RFC 9110, section 8.8.3).
enum EntityTag {
    static func of(_ answer: HTTPAnswer, _ content: Data) -> String {
        if let tag = answer.entityTag, tag.utf8.allSatisfy(isTagByte) { return "\"\(tag)\"" }
        // Half of the digest is more than enough to tell apart what one resource ever was.
        let digits = Array("0123456789abcdef".utf8)
        var tag: [UInt8] = []
        tag.reserveCapacity(34)
        tag.append(UInt8(ascii: "\""))
        for byte in SHA256.hash(data: content).prefix(16) {
            tag.append(digits[Int(byte >> 4)])
            tag.append(digits[Int(byte & 0xF)])
        }
        tag.append(UInt8(ascii: "\""))
        return String(decoding: tag, as: UTF8.self)
    }

    /// Whether the fields `If-None-Match` name a tag, by weak comparison (RFC 9110, sections 8.8.3.2 and 13.1.2).
    static func isNamed(_ tag: String, in fields: [String]) -> Bool {
        fields.contains { field in
            var rest = field.utf8[...]
            while true {
                rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
                if rest.first == UInt8(ascii: "*") { return true }
                if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
                guard rest.first == UInt8(ascii: "\"") else { return false }
                guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return false }
                if rest[...end].elementsEqual(tag.utf8) { return true }
                rest = rest[rest.index(after: end)...]
            }
        }
    }

    /// A character of an opaque tag; anything else would end it early.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte)
    }
}
