import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponse {
    /// The head of an answer; a field whose name is not one by RFC 9110, section 5.1, is left out.
    init(_ answer: HTTPURLResponse) {
        var fields = HTTPFields()
        for (name, value) in answer.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String
            else { continue }
            fields.append(HTTPField(name: name, value: value.readAgainAsUTF8))
        }
        // The body has been unpacked: these would describe what it was.
        if fields[.contentEncoding] != nil {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        self.init(status: Status(code: answer.statusCode), headerFields: fields)
    }

    /// Whether the answer says at most once, and in a way that can be right, how long its body is.
    ///
    /// RFC 9112, section 6.3: anything else may be an attempt to smuggle one answer into another.
    var hasOneLength: Bool {
        let lengths = Set(headerFields[values: .contentLength].joined(separator: ",").split(separator: ","))
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard headerFields[.transferEncoding] == nil else { return lengths.isEmpty }
        return Set(lengths).count <= 1 && lengths.allSatisfy { Int($0).map { $0 >= 0 } ?? false }
    }
}

extension String {
    /// The text that a field's bytes are in UTF-8, where each of them was read as one character.
    fileprivate var readAgainAsUTF8: String {
        let bytes = unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        guard bytes.count == unicodeScalars.count else { return self }
        return String(validating: bytes, as: UTF8.self) ?? self
    }
}
