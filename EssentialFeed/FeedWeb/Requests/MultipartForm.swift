import FeedFeature
import Foundation
import Hummingbird

/// The parts of a form in the encoding for files, `multipart/form-data` (RFC 7578).
struct MultipartForm {
    struct Part {
        let name: Data
        let isFile: Bool
        /// A slice of the body.
        let content: Data
    }

    private static let partLimit = 16
    private static let headerLimit = 8_192
    private static let lineBreak = Array("\r\n".utf8)
    private static let dashes = Array("--".utf8)

    private(set) var parts: [Part] = []

    /// Parses a body (RFC 2046, section 5.1.1).
    ///
    /// - Throws: `HTTPError` with 400 if the body does not consist of whole parts, or has too many.
    init(_ body: Data, boundary: Data) throws {
        let delimiter = Self.lineBreak + Self.dashes + Array(boundary)
        // The line break in front of the first delimiter may be missing.
        let opening = delimiter.dropFirst(2)
        var rest = body.starts(with: opening) ? body.dropFirst(opening.count) : try body.after(delimiter)
        while !rest.starts(with: Self.dashes) {
            guard parts.count < Self.partLimit, rest.starts(with: Self.lineBreak) else { throw HTTPError(.badRequest) }
            // A part has its own line breaks: the one after a delimiter does not also begin the next delimiter.
            rest = rest.dropFirst(Self.lineBreak.count)
            guard let end = rest.firstIndex(of: delimiter) else { throw HTTPError(.badRequest) }
            parts.append(try Self.part(rest[..<end]))
            rest = rest[end...].dropFirst(delimiter.count)
        }
    }

    private static func part(_ part: Data) throws -> Part {
        guard let end = part.prefix(headerLimit).firstIndex(of: lineBreak + lineBreak) else {
            throw HTTPError(.badRequest)
        }
        var headers = part[..<end]
        while !headers.isEmpty {
            let lineEnd = headers.firstIndex(of: lineBreak) ?? headers.endIndex
            let parameters = parameters(of: headers[..<lineEnd])
            if parameters.first?.name.elementsEqual("content-disposition:form-data".utf8) == true {
                guard let name = parameters.first(where: { $0.name.elementsEqual("name".utf8) })?.value else { break }
                let isFile = parameters.contains { $0.name.elementsEqual("filename".utf8) }
                return Part(name: name, isFile: isFile, content: part[end...].dropFirst(4))
            }
            headers = headers[lineEnd...].dropFirst(lineBreak.count)
        }
        throw HTTPError(.badRequest)
    }

    /// The value of a field and its parameters, with names in lowercase and without white space outside of quotes.
    ///
    /// Browsers write quotes within a name as %22, so a quoted value ends at the next quote (HTML standard, section
    /// 4.10.21.8).
    static func parameters(of field: Data) -> [(name: Data, value: Data)] {
        var parameters: [(name: Data, value: Data)] = []
        var (name, value) = (Data(), Data())
        var (isValue, isQuoted) = (false, false)
        for byte in field {
            switch byte {
            case UInt8(ascii: "\"") where isValue: isQuoted.toggle()
            case _ where isQuoted: value.append(byte)
            case UInt8(ascii: ";"):
                parameters.append((name, value))
                (name, value, isValue) = (Data(), Data(), false)
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "=") where !isValue: isValue = true
            case _ where isValue: value.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): name.append(byte | 0x20)
            default: name.append(byte)
            }
        }
        return parameters + [(name, value)]
    }
}

extension Data {
    fileprivate func after(_ delimiter: [UInt8]) throws -> Data {
        guard let index = firstIndex(of: delimiter) else { throw HTTPError(.badRequest) }
        return self[index...].dropFirst(delimiter.count)
    }
}
