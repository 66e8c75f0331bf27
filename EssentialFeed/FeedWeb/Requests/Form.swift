import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The fields of a submitted form.
struct Form: Sendable {
    /// A file that was submitted with a form; browsers send an empty one if none was chosen.
    typealias File = Data

    private let fields: [String: String]
    private let files: [String: File]

    /// Reads a form in one of the two encodings of HTML.
    ///
    /// - Throws: `HTTPError` with 413 for a body of more than `limit` bytes, with 415 for another encoding, and with
    ///   400 for a body that is not in its encoding.
    init(_ request: Request, upTo limit: Int) async throws {
        let mediaType = request.headers[.contentType] ?? ""
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw HTTPError(.contentTooLarge) }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        let bytes = Data(body.readableBytesView)
        if let form = try MultipartForm(bytes, mediaType: mediaType) {
            fields = form.fields
            files = form.files
        } else if mediaType.lowercased().hasPrefix("application/x-www-form-urlencoded") {
            fields = Self.decode(String(decoding: bytes, as: UTF8.self))
            files = [:]
        } else {
            throw HTTPError(.unsupportedMediaType)
        }
    }

    /// Reads the parameters of an address.
    init(query: String) {
        fields = Self.decode(query)
        files = [:]
    }

    /// The text of a field, with line feeds only; empty if the field is absent.
    ///
    /// Browsers submit line breaks as two characters and count one.
    subscript(_ name: String) -> String {
        fields[name]?.replacingOccurrences(of: "\r\n", with: "\n") ?? ""
    }

    /// The text of a field; nil if the field is absent or empty, as browsers submit a field without a choice.
    func optional(_ name: String) -> String? {
        let text = self[name]
        return text.isEmpty ? nil : text
    }

    /// The bytes of a file; empty if there are none.
    func file(_ name: String) -> File {
        files[name] ?? File()
    }

    /// The id in a hidden field, which a page has made so that submitting the form twice changes nothing.
    ///
    /// - Throws: `HTTPError` with 400 if it is not an id.
    func id(_ name: String = "id") throws -> UUID {
        guard let id = UUID(uuidString: self[name]) else { throw HTTPError(.badRequest) }
        return id
    }

    /// Decodes `application/x-www-form-urlencoded` (URL standard, section 5.1); the first of equal names counts.
    private static func decode(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            if fields[name] == nil { fields[name] = parts.count > 1 ? decoded(parts[1]) : "" }
        }
        return fields
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? String(spaced)
    }
}
