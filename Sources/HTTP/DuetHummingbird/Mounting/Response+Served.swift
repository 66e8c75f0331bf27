package import DuetHTTP
package import HTTPTypes
package import Hummingbird
import ServiceLifecycle

extension Response {
    /// Converts the response to a message, without its content for `HEAD`.
    package init(_ response: consuming ServedResponse, to method: HTTPRequest.Method) {
        self.init(response, to: method, sharing: nil)
    }

    /// Converts the response, and shares its content with equal ones that are being sent.
    init(_ response: consuming ServedResponse, to method: HTTPRequest.Method, sharing bodies: SentBodies?) {
        let status = response.status
        if let content = response.body {
            let body =
                if method == .head {
                    ResponseBody()
                } else if let shared = bodies?.content(of: response) {
                    ResponseBody(data: shared.data, keeping: shared)
                } else {
                    ResponseBody(data: content)
                }
            self.init(status: status, headers: response.headers, body: body)
            if method == .head { headers[.contentLength] = String(content.count) }
        } else {
            self.init(status: status, headers: response.headers)
            // These never have content, and therefore no length (RFC 9110, section 8.6).
            if status == .noContent || status == .notModified { headers[.contentLength] = nil }
        }
    }

    /// Sends events until they end, the client has disconnected, or the server shuts down.
    init(_ response: ServedResponse, _ presence: ClientPresence?, _ events: EventStream) {
        self.init(
            status: response.status,
            headers: response.headers,
            body: ResponseBody { writer in
                let action = presence?.whenGone { events.end() }
                defer { if let action { presence?.forget(action) } }
                try await withGracefulShutdownHandler {
                    for await piece in events { try await writer.write(inPieces: piece) }
                } onGracefulShutdown: {
                    events.end()
                }
                try await writer.finish(nil)
            }
        )
    }
}
