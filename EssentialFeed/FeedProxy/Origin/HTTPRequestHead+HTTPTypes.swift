import DuetHTTP
import HTTPTypes
import NIOHTTP1

extension HTTPRequestHead {
    /// The head of a request with its framing: a length that is known, or chunks.
    ///
    /// One that names no server, as HTTP/1.0 allows, is for `origin`.
    init(_ request: HTTPRequest, body: HTTPBody?, origin: Origin) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headerFields.count + 2)
        headers.add(name: "Host", value: request.authority ?? origin.authority)
        for field in request.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        if let body {
            if let size = body.size {
                // Where it was, if it was there.
                if headers["Content-Length"] != [String(size)] {
                    headers.replaceOrAdd(name: "Content-Length", value: String(size))
                }
            } else {
                headers.remove(name: "Content-Length")
                headers.add(name: "Transfer-Encoding", value: "chunked")
            }
        }
        self.init(
            version: .http1_1,
            method: HTTPMethod(request.method),
            uri: request.path ?? "/",
            headers: headers
        )
    }
}

extension HTTPMethod {
    /// The method as it is written; NIO's own name of `M-SEARCH` is another word.
    init(_ method: HTTPRequest.Method) {
        self = method.rawValue == "MSEARCH" ? .RAW(value: method.rawValue) : HTTPMethod(rawValue: method.rawValue)
    }
}

extension HTTPRequest.Method {
    /// The method as it was written; nil when it is none.
    init?(_ method: HTTPMethod) {
        self.init(method == .MSEARCH ? "M-SEARCH" : method.rawValue)
    }
}
