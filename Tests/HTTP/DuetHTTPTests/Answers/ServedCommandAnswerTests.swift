import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Tests of the responses to commands that have an answer.
@Suite struct ServedCommandAnswerTests {
    private let press = Press()
    private let clock = ManualClock()

    private func send(
        _ method: HTTPRequest.Method = .post,
        _ path: String,
        _ body: String? = nil,
        _ fields: HTTPFields = [:],
        as credentials: String = Press.editor,
        to service: HTTPService? = nil
    ) async throws -> (HTTPResponse, String) {
        var request = HTTPRequest(method: method, scheme: "http", authority: "press.example", path: "/api/\(path)")
        request.headerFields = fields
        request.headerFields[.authorization] = credentials
        if body != nil { request.headerFields[.contentType] = "application/json" }
        let service = try service ?? press.service()
        let (head, content) = await service.respond(to: request, body: body.map { HTTPBody(Data($0.utf8)) })
        return (head, String(decoding: try await content.collectToSend(), as: UTF8.self))
    }

    private let create = #"{"title":"First"}"#

    @Test func `the response has the status and the fields of the command, and the payload of the query`() async throws
    {
        let (head, content) = try await send(.post, "articles", create)
        #expect(head.status == .created)
        #expect(content == #"{"favorites":0,"slug":"first"}"#)
        #expect(head.headerFields[.contentType] == "application/json")
        #expect(head.headerFields[.allow] == "POST")
        #expect(head.headerFields[.eTag] == nil)
        #expect(head.headerFields[.cacheControl] == nil)
        #expect(press.handled == ["CreateArticle", "GetArticle"])
    }

    @Test func `a created resource and the content have the location of the query`() async throws {
        let (created, _) = try await send(.post, "articles", create)
        #expect(created.headerFields[.location] == "/api/articles/first")
        #expect(created.headerFields[.contentLocation] == "/api/articles/first")
        let (changed, content) = try await send(.post, "articles/a%2Fb/favorite")
        #expect(changed.status == .ok)
        #expect(content == #"{"favorites":1,"slug":"a/b"}"#)
        #expect(changed.headerFields[.location] == nil)
        #expect(changed.headerFields[.contentLocation] == "/api/articles/a%2Fb")
    }

    @Test func `a query that cannot be requested has no location`() async throws {
        let (head, content) = try await send(.post, "articles/a/note", #"{"text":"n"}"#)
        #expect(head.status == .created)
        #expect(content == #""n""#)
        #expect(head.headerFields[.location] == nil)
        #expect(head.headerFields[.contentLocation] == nil)
        #expect(try await send(.get, "notes/a").0.status == .notFound)
    }

    @Test func `an absent value is content, because a response without content has no answer`() async throws {
        let (head, content) = try await send(.post, "articles/a/note", "{}")
        #expect(head.status == .created)
        #expect(content == "null")
    }

    @Test func `a status without content has no answer`() async throws {
        let (head, content) = try await send(.put, "articles/a")
        #expect(head.status == .noContent)
        #expect(content.isEmpty)
        #expect(press.handled == ["RenameArticle"])
        let statuses = [SuccessStatus(of: Favorite.self) { _, _ in .noContent }]
        let service = try press.service(nil, MountOptions(statuses: statuses))
        #expect(try await send(.post, "articles/a/favorite", to: service).0.status == .noContent)
        #expect(press.handled == ["RenameArticle", "Favorite"])
    }

    // MARK: Failures

    @Test func `the query has its own rule`() async throws {
        let (head, content) = try await send(.post, "articles", create, as: Press.writer)
        #expect(head.status == .created)
        #expect(content.isEmpty)
        #expect(press.handled == ["CreateArticle"])
        #expect(press.events.count == 1)
        #expect(press.events.first?.hasPrefix("A command succeeded without its answer: ") == true)
    }

    @Test(arguments: [NoAnswer.failed as any Error, CancellationError(), AuthorizationError.forbidden])
    func `an error of the query is none of the command`(_ error: any Error) async throws {
        press.fail(with: error)
        let (head, content) = try await send(.post, "articles", create)
        #expect(head.status == .created)
        #expect(content.isEmpty)
        #expect(head.headerFields[.location] == "/api/articles/first")
        #expect(head.headerFields[.contentLocation] == nil)
        #expect(press.events.count == 1)
    }

    @Test func `a deadline that ends between the command and the query is no error of the command`() async throws {
        press.onCommand.withLock { $0 = { [clock] in clock.advance(by: .seconds(2)) } }
        let service = try press.service(nil, MountOptions(clock: clock))
        let fields: HTTPFields = [.requestTimeout: "1000"]
        let (head, content) = try await send(.post, "articles", create, fields, to: service)
        #expect(head.status == .created)
        #expect(content.isEmpty)
        #expect(press.handled == ["CreateArticle"])
    }

    @Test func `a command that fails has no answer`() async throws {
        let (head, _) = try await send(.post, "articles", "{}")
        #expect(head.status == .badRequest)
        #expect(press.handled.isEmpty)
    }

    @Test func `a value that lacks the change of the command is no answer`() async throws {
        let caching = try press.dispatcher().caching(in: .memory(limit: .entries(10))) {
            Cache(GetArticle.self, .maxAge(.minutes(1)).staleIfError(.minutes(5)))
        }
        let service = try press.service(caching)
        #expect(try await send(.get, "articles/a", to: service).1 == #"{"favorites":0,"slug":"a"}"#)
        press.fail(with: NoAnswer.failed)
        let (head, content) = try await send(.post, "articles/a/favorite", to: service)
        #expect(head.status == .ok)
        #expect(content.isEmpty)
    }

    // MARK: Preferences

    @Test(arguments: [
        ("return=minimal", true), (#"respond-async, Return="minimal"; foo=1"#, true), ("return=representation", false),
        ("return=representation, return=minimal", false), ("handling=lenient", false), ("return", false),
    ])
    func `a client may prefer a response without content`(_ preference: String, isMinimal: Bool) async throws {
        let (head, content) = try await send(
            .post,
            "articles",
            create,
            [.prefer: preference, .accept: "application/json"]
        )
        #expect(head.status == .created)
        #expect(content.isEmpty == isMinimal)
        #expect(head.headerFields[.preferenceApplied] == (isMinimal ? "return=minimal" : nil))
        #expect(head.headerFields[.location] == "/api/articles/first")
        #expect(press.handled == (isMinimal ? ["CreateArticle"] : ["CreateArticle", "GetArticle"]))
    }

    @Test func `a client that accepts no JSON is refused before the command`() async throws {
        let (head, _) = try await send(.post, "articles", create, [.accept: "text/html"])
        #expect(head.status == .notAcceptable)
        #expect(press.handled.isEmpty)
    }

    @Test(arguments: [("image/*", "a"), ("image/jpeg", "")])
    func `bytes of a type that a client does not accept are left out`(_ accepted: String, _ expected: String)
        async throws
    {
        let (head, content) = try await send(.post, "pictures/a", nil, [.accept: accepted])
        #expect(head.status == .ok)
        #expect(content == expected)
        #expect(head.headerFields[.contentType] == (expected.isEmpty ? nil : "image/png"))
        #expect(head.headerFields[.contentLocation] == (expected.isEmpty ? nil : "/api/pictures/a"))
        #expect(press.handled == ["DrawPicture", "GetPicture"])
    }

    @Test func `a page of another origin may ask for no content, and read the location`() async throws {
        let options = MountOptions(cors: CORSPolicy(origins: ["https://press.example"]))
        let service = try press.service(nil, options)
        let (head, _) = try await send(.post, "articles", create, [.origin: "https://press.example"], to: service)
        #expect(head.headerFields[.accessControlExposeHeaders]?.contains("Content-Location") == true)
        let preflight: HTTPFields = [.origin: "https://press.example", .accessControlRequestMethod: "POST"]
        let (allowed, _) = try await send(.options, "articles", nil, preflight, to: service)
        #expect(allowed.headerFields[.accessControlAllowHeaders]?.contains("Prefer") == true)
    }

    @Test func `a location that leads to another message is none`() async throws {
        let (head, content) = try await send(.post, "articles", #"{"title":"feed"}"#)
        #expect(head.status == .created)
        #expect(content == #"{"favorites":0,"slug":"feed"}"#)
        #expect(head.headerFields[.location] == nil)
        #expect(head.headerFields[.contentLocation] == nil)
    }

    @Test func `a repeated key gets the answer of today's state`() async throws {
        for favorites in 1...2 {
            let (head, content) = try await send(.post, "articles/a/favorite", nil, [.idempotencyKey: "1"])
            #expect(head.status == .ok)
            #expect(content == #"{"favorites":\#(favorites),"slug":"a"}"#)
        }
    }

    // MARK: Faults

    private struct Count: PayloadQuery, Hashable {
        typealias Value = Int
    }

    private struct Increment: HTTPCommand, AnsweredCommand {
        static let route: CommandRoute<Self> = .post("count")
        func answer(from content: Int?) -> Count? { Count() }
    }

    private struct SetOtherNote: HTTPCommand, AnsweredCommand {
        static let route: CommandRoute<Self> = .put("articles/{slug}/note")
        let slug: String
        func answer(from content: String??) -> GetNote? { GetNote(slug: slug) }
    }

    @Test func `an answer that cannot be given is a fault of the list`() throws {
        #expect(faults { Favorite.self }.contains("but is not in the API “press”"))
        #expect(faults { Increment.self }.contains("but is not an HTTP query"))
        #expect(
            faults {
                GetArticle.authorized(.nodes).not(over: .http); Favorite.self
            }.contains("by nodes only")
        )
        let missing = MessageAPI("press") {
            GetArticle.not(over: .http)
            Favorite.authorized(.open)
        }
        #expect(throws: InvalidMessageAPI.self) {
            try HTTPService(missing, press.dispatcher(), authenticator: Press.tokens) { _ in }
        }
        _ = try HTTPService(missing, press.dispatcher()) { _ in }
    }

    private func faults(@ListBuilder<MessageAPI.Entry> _ entries: () -> [MessageAPI.Entry]) -> String {
        do {
            _ = try HTTPService(MessageAPI("press", authorized: .open, entries), press.dispatcher()) { _ in }
            return ""
        } catch {
            return "\(error)"
        }
    }
}

private enum NoAnswer: Error { case failed }
