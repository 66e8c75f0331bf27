import Foundation
import HTTPTypes

/// An input in its parts: a first line of two words, a second line, and the rest.
struct FuzzInput {
    let first: String
    let second: String
    let mediaType: String?
    let body: Data

    init(_ input: [UInt8]) {
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let line = String(decoding: parts[0], as: UTF8.self)
        let end = line.firstIndex(of: " ") ?? line.endIndex
        first = String(line[..<end])
        second = String(line[end...].dropFirst())
        let type = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
        // A value that no field can hold does not arrive over HTTP.
        mediaType = type.isEmpty || !HTTPField.isValidValue(type) ? nil : type
        body = parts.count > 3 ? Data(parts[3]) : Data()
    }
}
