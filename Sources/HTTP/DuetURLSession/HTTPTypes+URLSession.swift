import DuetHTTP
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Creates the request that URLSession sends.
    ///
    /// HTTPTypesFoundation is not used, because it passes the bytes of a field as Latin-1, which is wrong on Linux.
    init(_ request: HTTPRequest, body: Data?) throws(HTTPClientError) {
        self.init(
            url: try request.checkedURL(sendingBody: body?.isEmpty == false),
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: URLSessionHTTPClient.Configuration.never
        )
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        var fields = request.headerFields
        // URLSession sends the authority as `Host`.
        if let host = HTTPField.Name("Host") { fields[host] = nil }
        if fields[.acceptEncoding] == nil { fields[.acceptEncoding] = "identity" }
        if let body, !body.isEmpty {
            httpBody = body
            // By default URLSession labels it as a form. A receiver may assume this type (RFC 9110, section 8.3).
            if fields[.contentType] == nil { fields[.contentType] = "application/octet-stream" }
        }
        for name in Set(fields.map(\.name)) {
            // Joined as in RFC 9110, section 5.3, and RFC 9113, section 8.2.3.
            let value = fields[values: name].joined(separator: name == .cookie ? "; " : ", ")
            setValue(value.asURLSessionSendsIt, forHTTPHeaderField: name.rawName)
        }
    }
}

extension String {
    /// The text to set for a field, so that its UTF-8 bytes are sent.
    fileprivate var asURLSessionSendsIt: String {
        #if canImport(FoundationNetworking)
            self
        #else
            // Every scalar is sent as one byte.
            String(String.UnicodeScalarView(utf8.map { Unicode.Scalar($0) }))
        #endif
    }
}

extension HTTPResponse {
    /// The head of a response, without fields whose name is not valid (RFC 9110, section 5.1).
    init(_ response: HTTPURLResponse) {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String
            else { continue }
            fields.append(HTTPField(name: name, value: value.decodedAsUTF8))
        }
        // URLSession has decompressed the body, so these would describe other bytes.
        if fields[.contentEncoding] != nil {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        self.init(status: Status(code: response.statusCode), headerFields: fields)
    }

    /// Whether the response has at most one length for its body, and a valid one.
    ///
    /// Anything else may be an attempt to smuggle one response into another (RFC 9112, section 6.3).
    var hasOneLength: Bool {
        let lengths = Set(headerFields[values: .contentLength].joined(separator: ",").split(separator: ","))
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard headerFields[.transferEncoding] == nil else { return lengths.isEmpty }
        return Set(lengths).count <= 1 && lengths.allSatisfy { Int($0).map { $0 >= 0 } ?? false }
    }
}

extension String {
    /// The UTF-8 text of a field's bytes, each of which was decoded as one character.
    fileprivate var decodedAsUTF8: String {
        let bytes = unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        guard bytes.count == unicodeScalars.count else { return self }
        return String(validating: bytes, as: UTF8.self) ?? self
    }
}
