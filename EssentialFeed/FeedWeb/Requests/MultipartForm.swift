import Foundation
import Hummingbird

/// The parts of a form in the encoding for files, `multipart/form-data` (RFC 7578).
struct MultipartForm: Sendable {
    private static let partLimit = 16
    private static let headerLimit = 8_192

    /// The texts by name; the first of equal names counts.
    private(set) var fields: [String: String] = [:]

    /// The bytes of the parts with a file name; the first of equal names counts.
    private(set) var files: [String: Data] = [:]

    /// Parses a body; nil if the media type is another one.
    ///
    /// - Throws: `HTTPError` with 400 if the body does not consist of whole parts, or has too many.
    init?(_ body: Data, mediaType: String) throws {
        guard mediaType.lowercased().hasPrefix("multipart/form-data") else { return nil }
        guard let boundary = Self.parameter("boundary", of: mediaType), (1...70).contains(boundary.utf8.count) else {
            throw HTTPError(.badRequest)
        }
        // Each part begins after a delimiter and ends before the next one, which begins with a line break.
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var rest = (Data("\r\n".utf8) + body)[...]
        guard let opening = rest.range(of: delimiter) else { throw HTTPError(.badRequest) }
        rest = rest[opening.upperBound...]
        var count = 0
        while !rest.starts(with: Data("--".utf8)) {
            count += 1
            guard count <= Self.partLimit, rest.starts(with: Data("\r\n".utf8)),
                let end = rest.range(of: delimiter)
            else { throw HTTPError(.badRequest) }
            try insert(rest[rest.startIndex + 2..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
    }

    private mutating func insert(_ part: Data) throws {
        guard let gap = part.prefix(Self.headerLimit).range(of: Data("\r\n\r\n".utf8)) else {
            throw HTTPError(.badRequest)
        }
        let headers = String(decoding: part[..<gap.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let disposition = headers.first { $0.lowercased().hasPrefix("content-disposition:") }.map(String.init) ?? ""
        guard let name = Self.parameter("name", of: disposition) else { throw HTTPError(.badRequest) }
        let content = part[gap.upperBound...]
        if Self.parameter("filename", of: disposition) != nil {
            if files[name] == nil { files[name] = Data(content) }
        } else if fields[name] == nil {
            fields[name] = String(decoding: content, as: UTF8.self)
        }
    }

    /// Returns a parameter of a header, with or without quotes.
    ///
    /// Browsers escape quotes in names as %22, so a quoted value ends at the next quote.
    private static func parameter(_ name: String, of header: String) -> String? {
        for parameter in header.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == name else { continue }
            guard parts[1].hasPrefix("\"") else { return parts[1] }
            return String(parts[1].dropFirst().prefix { $0 != "\"" })
        }
        return nil
    }
}
