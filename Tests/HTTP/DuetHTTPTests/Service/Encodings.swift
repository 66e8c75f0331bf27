import Duet
import DuetCaching
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Counts how often its value is encoded.
final class Encodings: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock(\.self) }

    func add() { number.withLock { $0 += 1 } }

    @TaskLocal static var language = "en"
}

/// A text that changes.
final class Text: Sendable {
    private let state = Mutex("Duet")

    var value: String { state.withLock(\.self) }

    func set(_ value: String) { state.withLock { $0 = value } }
}

/// The text of a page, which is encoded with everything that an encoding could tell about its caller.
struct LoadText: HTTPQuery, Hashable {
    static let route: QueryRoute<Self> = .get("texts/{id}")

    struct Value: Equatable, Sendable {
        var text: String
        let encodings: Encodings

        static func == (lhs: Value, rhs: Value) -> Bool { lhs.text == rhs.text }
    }

    struct Payload: Codable, Sendable {
        let text: String
        let language: String
        let principal: String?
        var isLate = false
    }

    var id = 1

    static func value(from payload: Payload, answering query: Self) -> Value {
        Value(text: payload.text, encodings: Encodings())
    }

    static func payload(from value: Value, answering query: Self) throws -> Payload {
        value.encodings.add()
        guard !value.text.isEmpty else { throw EmptyText() }
        return Payload(
            text: value.text,
            language: Encodings.language,
            principal: Principal.current?.id,
            isLate: Deadline.current != nil
        )
    }

    private struct EmptyText: Error {}
}

/// The same text, which is encoded for each response.
struct LoadTextEachTime: HTTPQuery, Hashable {
    static let route: QueryRoute<Self> = .get("each").encodingEachTime()
    typealias Value = LoadText.Value
    typealias Payload = LoadText.Payload

    static func value(from payload: Payload, answering query: Self) -> Value {
        LoadText.value(from: payload, answering: LoadText())
    }

    static func payload(from value: Value, answering query: Self) throws -> Payload {
        try LoadText.payload(from: value, answering: LoadText())
    }
}

struct RewriteText: HTTPCommand {
    static let route: CommandRoute<Self> = .put("text")
    let text: String
}

/// A text behind a cache, and services in front of it.
struct TextWorld {
    let encodings = Encodings()
    let text = Text()
    private let handlers: StandardDispatcher

    init() throws {
        let (text, encodings) = (text, encodings)
        handlers = try StandardDispatcher {
            TextHandler(text: text, encodings: encodings)
            EachHandler(text: text, encodings: encodings)
            RewriteHandler(text: text)
        }
    }

    func cached(in memory: CacheMemory = .memory(limit: .entries(100)), scope: CacheScope = .shared) throws
        -> CachingDispatcher
    {
        try handlers.caching(in: memory) {
            Cache(LoadText.self, .untilInvalidated, scope: scope, weight: { _ in 100 })
            Cache(LoadTextEachTime.self, .untilInvalidated, scope: scope, weight: { _ in 100 })
            Invalidate(LoadText.self, after: RewriteText.self)
        }
    }

    func service(_ dispatcher: any Dispatcher, keepsContents: Bool = true) throws -> HTTPService {
        let api = MessageAPI.open {
            LoadText.self
            LoadTextEachTime.self
            RewriteText.self
        }
        let tokens = StaticTokenAuthenticator(
            ["ada", "bob"].map { (TokenHash(of: $0), Principal(id: $0)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
        )
        let options = MountOptions(keepsContents: keepsContents)
        return try HTTPService(api, dispatcher, authenticator: tokens, options: options) { _ in }
    }
}

struct TextHandler: QueryHandler {
    let text: Text
    let encodings: Encodings

    func handle(_ query: LoadText) async throws -> LoadText.Value {
        LoadText.Value(text: text.value, encodings: encodings)
    }
}

private struct EachHandler: QueryHandler {
    let text: Text
    let encodings: Encodings

    func handle(_ query: LoadTextEachTime) async throws -> LoadText.Value {
        LoadText.Value(text: text.value, encodings: encodings)
    }
}

private struct RewriteHandler: CommandHandler {
    let text: Text

    func handle(_ command: RewriteText) async throws { text.set(command.text) }
}

extension HTTPService {
    /// Requests a text, as an object of JSON, with the fields of the response.
    func load(
        _ path: String = "/texts/1",
        _ method: HTTPRequest.Method = .get,
        as user: String? = nil,
        _ fields: HTTPFields = [:]
    ) async throws -> (response: HTTPResponse, payload: LoadText.Payload?, content: Data) {
        var request = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        request.headerFields = fields
        if let user { request.headerFields[.authorization] = "Bearer \(user)" }
        let (response, body) = await respond(to: request)
        let content = try #require(body.whole)
        return (response, try? JSONDecoder().decode(LoadText.Payload.self, from: content), content)
    }
}

/// The text, as a query whose changes are reported.
struct WatchText: HTTPQuery, Hashable {
    static let route: QueryRoute<Self> = .get("watched").live()
    typealias Value = LoadText.Value
    typealias Payload = LoadText.Payload

    static func value(from payload: Payload, answering query: Self) -> Value {
        LoadText.value(from: payload, answering: LoadText())
    }

    static func payload(from value: Value, answering query: Self) throws -> Payload {
        try LoadText.payload(from: value, answering: LoadText())
    }
}
