import DuetHTTP
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Creates the request that URLSession sends.
    ///
    /// HTTPTypesFoundation is no use here: it passes the bytes of a field as Latin-1, which is wrong on Linux.
    init(_ request: HTTPRequest, body: Data?) throws(HTTPClientError) {
        self.init(
            url: try request.checkedURL(sendingBody: body?.isEmpty == false),
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: URLSessionHTTPClient.Configuration.never
        )
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        var fields = request.headerFields
        // The authority says it.
        if let host = HTTPField.Name("Host") { fields[host] = nil }
        if fields[.acceptEncoding] == nil { fields[.acceptEncoding] = "identity" }
        if let body, !body.isEmpty {
            httpBody = body
            // URLSession would call it a form; this is what RFC 9110, section 8.3, lets a receiver assume.
            if fields[.contentType] == nil { fields[.contentType] = "application/octet-stream" }
        }
        for name in Set(fields.map(\.name)) {
            // One after the other, as RFC 9110, section 5.3, and RFC 9113, section 8.2.3, join them.
            let value = fields[values: name].joined(separator: name == .cookie ? "; " : ", ")
            setValue(value.asURLSessionSendsIt, forHTTPHeaderField: name.rawName)
        }
    }
}

extension String {
    /// The text of a field such that its UTF-8 bytes go over the wire.
    fileprivate var asURLSessionSendsIt: String {
        #if canImport(FoundationNetworking)
            self
        #else
            // Every scalar is sent as one byte.
            String(String.UnicodeScalarView(utf8.map { Unicode.Scalar($0) }))
        #endif
    }
}
