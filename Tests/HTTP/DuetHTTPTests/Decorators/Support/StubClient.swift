import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization

/// Responds by a script, and records the requests with their options and deadlines.
final class StubClient: HTTPClient {
    /// A received request; the first is number 1.
    struct Sent: Sendable {
        let number: Int
        let request: HTTPRequest
        let body: Data?
        let options: HTTPRequestOptions
        let timeLeft: Duration?

        var line: String { "\(request.method) \(request.loggableURL)" }
    }

    typealias Script = @Sendable @concurrent (_ sent: Sent) async throws -> (HTTPResponse, Data)

    private let script: Script
    private let log = Mutex<[Sent]>([])

    init(_ script: @escaping Script) {
        self.script = script
    }

    /// Responds with these statuses, one after the other, and with the last of them from then on.
    convenience init(statuses: Int...) {
        self.init { sent in answer(statuses[min(sent.number, statuses.count) - 1]) }
    }

    var sent: [Sent] { log.withLock { $0 } }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let body = try await body?.collectToSend()
        let sent = log.withLock { log in
            let sent = Sent(
                number: log.count + 1,
                request: request,
                body: body,
                options: .current,
                timeLeft: ServiceContext.current?.deadline?.remaining
            )
            log.append(sent)
            return sent
        }
        let (response, content) = try await script(sent)
        return (response, HTTPBody(content))
    }
}

func answer(_ status: Int = 200, _ fields: HTTPFields = [:], body: String = "") -> (HTTPResponse, Data) {
    (HTTPResponse(status: .init(code: status), headerFields: fields), Data(body.utf8))
}

func request(
    _ method: HTTPRequest.Method = .get,
    _ url: String = "https://api.example/a",
    _ fields: HTTPFields = [:]
) -> HTTPRequest {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return HTTPRequest(
        method: method,
        scheme: String(parts[0].dropLast()),
        authority: String(parts[2]),
        path: parts.count > 3 ? "/\(parts[3])" : "/",
        headerFields: fields
    )
}

/// A connection that failed.
struct Unplugged: Error, Equatable {
    var number = 0
}

extension HTTPClientError {
    static func unplugged(_ number: Int = 0) -> HTTPClientError {
        .connectionFailed(url: "https://api.example/a", underlying: Unplugged(number: number))
    }

    /// The case, without its associated values.
    var name: String? { Mirror(reflecting: self).children.first?.label }
}
