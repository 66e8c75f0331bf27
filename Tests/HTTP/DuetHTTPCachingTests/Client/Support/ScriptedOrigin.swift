import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

/// An origin that responds by a script, with a whole body or a stream, and records the requests.
final class ScriptedOrigin: HTTPClient {
    /// A request as it arrived; the first one has the number 1.
    struct Sent: Sendable {
        let number: Int
        let request: HTTPRequest

        func field(_ name: HTTPField.Name) -> String? { request.headerFields[name] }
    }

    struct Reply: Sendable {
        var response: HTTPResponse
        var body: HTTPBody

        init(_ status: Int = 200, _ lines: [String] = [], _ body: HTTPBody) {
            response = HTTPResponse(status: .init(code: status), headerFields: fields(lines))
            self.body = body
        }

        /// A reply whose body arrives as a stream, as from a network.
        init(_ status: Int = 200, _ lines: [String] = [], _ body: String = "") {
            let pieces = AsyncStream<Data> { pieces in
                pieces.yield(body.data)
                pieces.finish()
            }
            self.init(status, lines, HTTPBody(pieces, size: Int64(body.utf8.count)))
        }
    }

    typealias Script = @Sendable @concurrent (_ sent: Sent) async throws -> Reply

    private let script: Script
    private let log = Mutex<[Sent]>([])

    init(_ script: @escaping Script) {
        self.script = script
    }

    var sent: [Sent] { log.withLock { $0 } }
    var count: Int { sent.count }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let sent = log.withLock { log in
            log.append(Sent(number: log.count + 1, request: request))
            return log[log.count - 1]
        }
        let reply = try await script(sent)
        guard HTTPRequestOptions.current.collectsBody else { return (reply.response, reply.body) }
        return (reply.response, HTTPBody(try await reply.body.text().data))
    }
}

/// A body whose pieces a test sends, and which reports when its reader has been released.
struct HeldBody: Sendable {
    let body: HTTPBody
    /// Opens when the reader asks for the first piece.
    let begun = Gate()
    let released = Gate()
    private let pieces: AsyncThrowingStream<Data, any Error>.Continuation

    init(size: Int64? = nil) {
        let (stream, pieces) = AsyncThrowingStream<Data, any Error>.makeStream()
        body = HTTPBody(Pieces(stream: stream, begun: begun, released: released), size: size)
        self.pieces = pieces
    }

    func send(_ text: String) { send(text.data) }
    func send(_ data: Data) { pieces.yield(data) }
    func end() { pieces.finish() }
    func fail(_ error: any Error = Unplugged()) { pieces.finish(throwing: error) }

    private struct Pieces: AsyncSequence, Sendable {
        let stream: AsyncThrowingStream<Data, any Error>
        let begun: Gate
        let released: Gate

        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: AsyncThrowingStream<Data, any Error>.AsyncIterator
            let begun: Gate
            let place: Place

            mutating func next() async throws -> Data? {
                begun.open()
                return try await iterator.next(isolation: #isolation)
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: stream.makeAsyncIterator(), begun: begun, place: Place(released))
        }
    }

    /// Released with the reader.
    private final class Place {
        let released: Gate

        init(_ released: Gate) { self.released = released }

        deinit { released.open() }
    }
}

/// A connection that failed.
struct Unplugged: Error, Equatable {}

extension HTTPClientError {
    static let unplugged = HTTPClientError.connectionFailed(url: "https://origin.example", underlying: Unplugged())
}

extension String {
    var data: Data { Data(utf8) }
}

extension HTTPBody {
    /// A body whose connection fails after these bytes.
    static func broken(after text: String, size: Int64? = nil) -> HTTPBody {
        let held = HeldBody(size: size)
        held.send(text)
        held.fail()
        return held.body
    }

    /// The whole body as text.
    func text() async throws -> String {
        String(decoding: try await collect(upTo: .max, orThrow: Unplugged()), as: UTF8.self)
    }
}

func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard let name = HTTPField.Name(String(parts[0])) else { continue }
        fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return fields
}

func ask(_ path: String = "/a", _ lines: [String] = [], _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    HTTPRequest(
        method: method,
        scheme: "https",
        authority: "origin.example",
        path: path,
        headerFields: fields(lines)
    )
}
