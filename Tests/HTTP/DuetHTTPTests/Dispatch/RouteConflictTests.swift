import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// The round trip between messages: no message arrives as another one.
struct RouteConflictTests {
    struct Me: HTTPQuery, Hashable { typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/me") }
    struct User: HTTPQuery, Hashable {
        typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/{id}"); var id = ""
    }
    struct MyPart: HTTPQuery, Hashable {
        typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/me/{part}"); var part = ""
    }
    struct Drafts: HTTPQuery, Hashable {
        typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/{id}/drafts"); var id = ""
    }
    struct Part: HTTPQuery, Hashable {
        typealias Value = Int?
        static let route: QueryRoute<Self> = .get("users/{id}/{part}")
        var id = ""
        var part = ""
    }
    struct Odd: HTTPQuery, Hashable {
        typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/a%20b/drafts")
    }
    struct UserFile: HTTPQuery, Hashable {
        typealias Value = Int?; static let route: QueryRoute<Self> = .get("users/{id}.json"); var id = ""
    }
    struct Comparison: HTTPQuery, Hashable {
        typealias Value = Int?
        static let route: QueryRoute<Self> = .get("users/{id}/{base}...{head}")
        var id = ""
        var base = ""
        var head = ""
    }
    struct Remove: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .delete("users/{id}")
        var id = ""
    }

    /// Records the messages that arrive.
    final class Notes: Dispatcher {
        private let last = Mutex<AnyHashable?>(nil)

        func arrived() -> AnyHashable? { last.withLock { $0.take() } }

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            last.withLock { $0 = message as? AnyHashable }
            if let done = () as? M.Value { return done }
            return try JSONDecoder().decode(Optional<Int>.self, from: Data("null".utf8)) as? M.Value
                ?? { throw CancellationError() }()
        }
    }

    private let notes = Notes()
    private let api: HTTPAPI
    private let dispatcher: HTTPDispatcher
    private let baseURL: BaseURL

    init() throws {
        let messages = MessageAPI.open {
            Me.self
            User.self
            MyPart.self
            Drafts.self
            Part.self
            Odd.self
            UserFile.self
            Comparison.self
            Remove.self
        }
        baseURL = try BaseURL(#require(URL(string: "https://users.example/api")))
        api = try HTTPAPI(messages)
        dispatcher = try HTTPDispatcher(
            messages,
            baseURL: baseURL,
            client: BelowBase(base: RouterClient(api: api, dispatcher: notes))
        )
    }

    /// The API is below a base path.
    private struct BelowBase: HTTPClient {
        let base: RouterClient

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            var request = request
            request.path = request.path.map { String($0.dropFirst("/api".count)) }
            return try await base.send(request, body: body)
        }
    }

    @Test func `a message with the path of another message is refused with both names and the property`() async throws {
        let error = await #expect(throws: HTTPMessageError.self) { _ = try await dispatcher.dispatch(User(id: "me")) }
        #expect(
            error?.description == """
                \(User.messageName) cannot be sent: id would lead to \(Me.messageName), because the path is \
                “users/me”; give it another value, or one of the messages another path.
                """
        )
        #expect(notes.arrived() == nil)
        _ = try await dispatcher.dispatch(Me())
        #expect(notes.arrived() == AnyHashable(Me()))
    }

    @Test func `values beside literals arrive as they were, or are not sent`() async throws {
        for id in ["a", "a.json", "ä/ö", ".json", "a:b"] {
            _ = try await dispatcher.dispatch(UserFile(id: id))
            #expect(notes.arrived() == AnyHashable(UserFile(id: id)))
        }
        _ = try await dispatcher.dispatch(Comparison(id: "x", base: "v1.0", head: "b...c"))
        #expect(notes.arrived() == AnyHashable(Comparison(id: "x", base: "v1.0", head: "b...c")))
        let error = await #expect(throws: HTTPMessageError.self) {
            _ = try await dispatcher.dispatch(Comparison(id: "x", base: "a...b", head: "c"))
        }
        #expect(
            error?.description == """
                \(Comparison.messageName) cannot be sent: base and head would be read back as other values from \
                “a...b...c”; what separates them must not be a part of the first one.
                """
        )
        await #expect(throws: HTTPMessageError.self) {
            _ = try await dispatcher.dispatch(Comparison(id: "x", base: "a.", head: "c"))
        }
        // A list is needed to know that.
        await #expect(throws: HTTPMessageError.self) { _ = try await dispatcher.dispatch(User(id: "a.json")) }
        await #expect(throws: HTTPMessageError.self) { _ = try await dispatcher.dispatch(Part(id: "x", part: "a...b")) }
        _ = try await dispatcher.dispatch(User(id: ".json"))
        #expect(notes.arrived() == AnyHashable(User(id: ".json")))
    }

    @Test func `two values that together form another message's path are both named`() async throws {
        let error = await #expect(throws: HTTPMessageError.self) {
            _ = try await dispatcher.dispatch(Part(id: "a b", part: "drafts"))
        }
        // Drafts takes the path too, and is matched later.
        #expect(error?.description.contains("id and part would lead to \(Odd.messageName)") == true)
        _ = try await dispatcher.dispatch(Part(id: "a b", part: "draft"))
        #expect(notes.arrived() == AnyHashable(Part(id: "a b", part: "draft")))
    }

    @Test func `another method is another route`() async throws {
        try await dispatcher.dispatch(Remove(id: "me"))
        #expect(notes.arrived() == AnyHashable(Remove(id: "me")))
    }

    @Test func `a dispatcher without an API sends the message`() async throws {
        let client = SpyClient(.ok, "1")
        _ = try await HTTPDispatcher(baseURL: baseURL, client: client).dispatch(User(id: "me"))
        #expect(client.sent.map(\.request.path) == ["/api/users/me"])
    }

    private func check<Q: HTTPQuery & Hashable>(_ query: Q, _ note: Comment) async throws -> Bool {
        let path = try MessageCoder<Q>(HTTPSettings()).encode(query).path
        guard case .found(let endpoint, _) = api.route(.get, path[...]) else {
            Issue.record("\(path) leads nowhere, \(note)")
            return false
        }
        let isOwn = endpoint.messageName == Q.messageName
        do {
            _ = try await dispatcher.dispatch(query)
            #expect(isOwn && notes.arrived() == AnyHashable(query), note)
        } catch HTTPMessageError.unsendable {
            #expect(!isOwn, note)
            #expect(notes.arrived() == nil, note)
        }
        return isOwn
    }

    /// A value that would be read back as another one has no path.
    private func checkComparison(_ query: Comparison, _ note: Comment) async throws -> Bool {
        do { return try await check(query, note) } catch HTTPMessageError.unsendable { return false }
    }

    @Test(arguments: [1, 2, 3]) func `each message arrives as itself or is not sent`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var outcomes: [Bool: Int] = [:]
        for round in 0..<300 {
            func text() -> String {
                let likely = [
                    "me", "drafts", "a b", "ME", "me ", "m%65", "a%20b", "a.json", ".json", "a...b", "a....b", "...",
                    generator.segment(),
                ]
                return likely.randomElement(using: &generator) ?? "me"
            }
            let note: Comment = "seed \(seed), round \(round)"
            let isOwn =
                switch round % 6 {
                case 0: try await check(User(id: text()), note)
                case 1: try await check(MyPart(part: text()), note)
                case 2: try await check(Drafts(id: text()), note)
                case 3: try await check(UserFile(id: text()), note)
                case 4: try await checkComparison(Comparison(id: text(), base: text(), head: text()), note)
                default: try await check(Part(id: text(), part: text()), note)
                }
            outcomes[isOwn, default: 0] += 1
        }
        // Neither is rare, so both are tested.
        #expect(outcomes.values.allSatisfy { $0 > 20 } && outcomes.count == 2, "\(outcomes), seed \(seed)")
    }
}
