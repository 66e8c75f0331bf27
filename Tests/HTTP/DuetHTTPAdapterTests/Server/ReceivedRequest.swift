import Foundation

/// A request as it was received.
struct ReceivedRequest: Hashable, Sendable {
    /// The request line, as `GET /path HTTP/1.1`.
    let line: String

    /// The header fields, by their names in lower case.
    let fields: [String: String]

    /// The body.
    let body: String

    /// The path and the query.
    var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}

extension ReceivedRequest {
    /// Removes the first request from the bytes received so far; nil while it is not complete.
    static func take(from bytes: inout [UInt8]) -> ReceivedRequest? {
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let lines = String(decoding: bytes[..<head], as: UTF8.self).components(separatedBy: "\r\n")
        let fields = Dictionary(
            lines.dropFirst().compactMap { line -> (String, String)? in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { return nil }
                return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
            },
            uniquingKeysWith: { "\($0), \($1)" }
        )
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= head + length else { return nil }
        let body = String(decoding: bytes[head..<head + length], as: UTF8.self)
        bytes.removeFirst(head + length)
        return ReceivedRequest(line: lines[0], fields: fields, body: body)
    }
}
