import DuetContext
import DuetHTTP
import DuetHummingbird
package import Foundation
import HTTPTypes
import Hummingbird

/// The fields of a submitted form, or the parameters of an address.
///
/// Names and values are bytes until their length and their characters are known. A name of more than 64 bytes or
/// outside of ASCII is no field of any of the pages.
package struct Form: Sendable {
    /// A file that was submitted with a form; browsers send an empty one if none was chosen.
    typealias File = Data

    /// The size of a form without its files, in bytes.
    ///
    /// The largest one has the texts of an image, and those before their correction, in the encoding for files.
    package static let limit = 65_536

    private static let fieldLimit = 32
    private static let nameLimit = 64

    private var fields: [String: String] = [:]
    private var files: [String: File] = [:]

    /// Reads a form in one of the two encodings of HTML.
    ///
    /// - Parameter mediaType: The value of `Content-Type`.
    /// - Throws: `HTTPError` with 413 for a body that has more than ``limit`` bytes beside its files, with 415 for
    ///   another encoding, and with 400 for a body that is not in its encoding.
    package init(_ body: Data, mediaType: String) throws {
        switch try Encoding(mediaType) {
        case .urlEncoded:
            guard body.count <= Self.limit else { throw HTTPError(.contentTooLarge) }
            for (name, value) in Self.pairs(body) {
                guard fields.count < Self.fieldLimit, try insert(value, for: name) else { throw HTTPError(.badRequest) }
            }
        case .multipart(let boundary):
            let parts = try MultipartForm(body, boundary: boundary).parts
            let fileSize = parts.reduce(0) { $0 + ($1.isFile ? $1.content.count : 0) }
            guard body.count - fileSize <= Self.limit else { throw HTTPError(.contentTooLarge) }
            for part in parts {
                if part.isFile {
                    guard let name = Self.name(part.name) else { throw HTTPError(.badRequest) }
                    // The slice shares the memory of the body.
                    if files[name] == nil { files[name] = part.content }
                } else {
                    guard try insert(part.content, for: part.name) else { throw HTTPError(.badRequest) }
                }
            }
        }
    }

    /// Reads the parameters of an address, without those that are not valid.
    package init(query: String) {
        for (name, value) in Self.pairs(Data(query.utf8)).prefix(Self.fieldLimit) {
            _ = try? insert(value, for: name)
        }
    }

    /// Reads the form of a request, and passes it to an operation, during which the body counts as memory in use.
    ///
    /// - Parameter limit: The largest body, in bytes.
    /// - Throws: `HTTPError` with 413 for a larger body, with 415 and 400 for one that is not a form, and with 503 if
    ///   the server has no memory for it; the error of the operation.
    static func with<Value>(
        _ request: Request,
        upTo limit: Int = Self.limit,
        _ operation: (Form) async throws -> Value
    ) async throws -> Value {
        let mediaType = request.headers[.contentType] ?? ""
        let limit = if case .urlEncoded = try Encoding(mediaType) { min(limit, Self.limit) } else { limit }
        return try await request.withBody(upTo: limit) { body in
            try await operation(Form(body, mediaType: mediaType))
        }
    }

    /// The text of a field, with line feeds only; empty if the field is absent.
    ///
    /// Browsers submit line breaks as two characters and count one. Others may send carriage returns alone.
    package subscript(_ name: String) -> String {
        var text = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in (fields[name] ?? "").unicodeScalars {
            if scalar != "\n" || last != "\r" { text.append(scalar == "\r" ? "\n" : scalar) }
            last = scalar
        }
        return String(text)
    }

    /// Whether there is a field, perhaps an empty one.
    func contains(_ name: String) -> Bool {
        fields[name] != nil
    }

    /// The text of a field; nil if the field is absent or empty, as browsers submit a field without a choice.
    func optional(_ name: String) -> String? {
        let text = self[name]
        return text.isEmpty ? nil : text
    }

    /// The bytes of a file; empty if there are none.
    package func file(_ name: String) -> Data {
        files[name] ?? File()
    }

    /// The id in a hidden field, which a page has made so that submitting the form twice changes nothing.
    ///
    /// - Throws: `HTTPError` with 400 if it is not an id.
    func id(_ name: String = "id") throws -> UUID {
        guard let id = UUID(text: self[name]) else { throw HTTPError(.badRequest) }
        return id
    }

    /// Inserts a field, of which the first of equal names counts, and returns whether its name is valid.
    ///
    /// - Throws: `HTTPError` with 400 if the value cannot be compared in little time.
    private mutating func insert(_ value: Data, for name: Data) throws -> Bool {
        guard let name = Self.name(name) else { return false }
        guard !ForeignText.hasLongRun(value) else { throw HTTPError(.badRequest) }
        if fields[name] == nil { fields[name] = String(decoding: value, as: UTF8.self) }
        return true
    }

    private static func name(_ bytes: Data) -> String? {
        guard bytes.count <= nameLimit, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Request {
    /// Runs the operation of a form without fields, whose body has the limit of all forms.
    ///
    /// - Throws: `HTTPError` with 413 for a larger body; the error of the operation.
    func withoutFields(_ operation: () async throws -> Response) async throws -> Response {
        try await withBody(upTo: Form.limit) { _ in try await operation() }
    }
}

extension UUID {
    /// Reads an id from a form or an address; nil if anything follows it, also after U+0000, where Foundation stops.
    init?(text: String) {
        guard text.utf8.count == 36 else { return nil }
        self.init(uuidString: text)
    }
}

// MARK: Encodings

extension Form {
    /// The encodings of forms in HTML.
    private enum Encoding {
        case urlEncoded
        case multipart(boundary: Data)

        /// - Throws: `HTTPError` with 415 for another encoding, and with 400 for a boundary that is missing or invalid.
        init(_ mediaType: String) throws {
            let parts = MultipartForm.parameters(of: Data(mediaType.utf8))
            switch String(decoding: (parts.first?.name ?? Data()).prefix(64), as: UTF8.self) {
            case "application/x-www-form-urlencoded": self = .urlEncoded
            case "multipart/form-data":
                let boundary = parts.first { $0.name.elementsEqual("boundary".utf8) }?.value ?? Data()
                guard (1...70).contains(boundary.count) else { throw HTTPError(.badRequest) }
                self = .multipart(boundary: boundary)
            default: throw HTTPError(.unsupportedMediaType)
            }
        }
    }

    /// The decoded pairs of `application/x-www-form-urlencoded` (URL standard, section 5.1).
    private static func pairs(_ bytes: Data) -> some Sequence<(name: Data, value: Data)> {
        bytes.split(separator: UInt8(ascii: "&"), maxSplits: fieldLimit).lazy.map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (decoded(pair[..<end]), decoded(pair[end...].dropFirst()))
        }
    }

    /// Replaces `+` and percent-encoded bytes; an incomplete one stays as it is (URL standard, section 1.3).
    private static func decoded(_ bytes: Data) -> Data {
        let bytes = Array(bytes)
        var decoded = Data(capacity: bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%"), bytes.count - index >= 2,
                let high = PercentEncoding.value(bytes[index]), let low = PercentEncoding.value(bytes[index + 1])
            {
                decoded.append(high << 4 | low)
                index += 2
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }
}

extension Request {
    /// The parameters of the address.
    var query: Form { Form(query: uri.query ?? "") }
}
