import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import NotesService
import Synchronization
import TestSupport
import Testing

@Suite struct HTTPServiceTests {
    private let shelves = Shelves()
    private let log = Log()

    private func service(_ base: String = "/api", _ options: MountOptions = Shelves.options) throws -> HTTPService {
        let log = log
        return try HTTPService(
            .shelves,
            shelves.dispatcher(),
            at: base,
            authenticator: Shelves.tokens,
            options: options
        ) { log.write($0) }
    }

    @Test(arguments: ServiceContract.allCases)
    func `the function meets the contract of a service`(_ requirement: ServiceContract) async throws {
        let services = ["/api": try service(), "/brief": try service("/brief", Shelves.briefOptions)]
        try await requirement.verify("http://notes.example", ServiceClient(services: services))
    }

    @Test(arguments: ["/apis/fail", "/", "*"])
    func `a path that is not below the base is not found`(_ path: String) async throws {
        let (response, _) = try await service().respond(to: request(.get, path))
        #expect(response.status == .notFound)
    }

    @Test(arguments: ["http://notes.example:8080/api/shelves/a/notes?x#y", "/api/shelves/a/notes?x"])
    func `the target may be a path or a complete URL`(_ target: String) async throws {
        let (response, _) = try await service().respond(to: request(.get, target))
        #expect(response.status == .ok)
    }

    @Test func `a browser learns the methods of a path before it sends a request`() async throws {
        var preflight = request(.options, "/api/shelves/a/notes/1")
        preflight.headerFields = [.origin: "https://example.org", .accessControlRequestMethod: "PUT"]
        let (response, _) = try await service().respond(to: preflight)
        #expect(response.status == .noContent)
        #expect(response.headerFields[.accessControlAllowMethods] == "GET, HEAD, PUT, DELETE")
    }

    @Test func `a failure is logged and not sent`() async throws {
        let (response, _) = try await service().respond(to: request(.get, "/api/fail"))
        #expect(response.status == .internalServerError)
        #expect(log.texts == ["A message failed: NotesService.Fail: password=hunter2"])
    }

    @Test func `HEAD has the fields of GET without content`() async throws {
        let (head, content) = try await service().respond(to: request(.head, "/api/shelves/a/notes"))
        #expect(head.headerFields[.contentLength] == "2")
        #expect(content.whole == Data())
    }

    @Test func `a response without content has no length`() async throws {
        let (response, content) = try await put("a")
        #expect(response.status == .noContent)
        #expect(response.headerFields[.contentLength] == nil)
        #expect(content.whole == Data())
    }

    @Test(arguments: [(1_023, 204), (1_024, 204), (1_025, 413)])
    func `a body that arrives in pieces has the limit of a whole one`(_ size: Int, _ status: Int) async throws {
        let text = #"{"text":"\#(String(repeating: "a", count: size - 11))"}"#
        let pieces = AsyncStream { continuation in
            for byte in text.utf8 { continuation.yield(Data([byte])) }
            continuation.finish()
        }
        let (response, _) = try await service().respond(to: put, body: HTTPBody(pieces))
        #expect(response.status.code == status)
    }

    @Test func `a body that ends early is refused`() async throws {
        var request = put
        request.headerFields[.contentLength] = "100"
        let (response, _) = try await service().respond(to: request, body: HTTPBody(Data(#"{"text":"a"}"#.utf8)))
        #expect(response.status == .badRequest)
    }

    @Test func `a body that breaks off is refused`() async throws {
        let pieces = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
        let (response, _) = try await service().respond(to: put, body: HTTPBody(pieces))
        #expect(response.status == .badRequest)
    }

    @Test(arguments: [(nil, 401), ("Bearer writer", 403), ("Bearer editor", 204)])
    func `a body is read only for a sender whom the rule does not refuse`(_ token: String?, _ status: Int) async throws
    {
        let api = MessageAPI("uploads") { Upload.authorized(.scope("notes:remove")) }
        let service = try HTTPService(api, StandardDispatcher { UploadHandler() }, authenticator: Shelves.tokens) { _ in
        }
        var request = request(.put, "/upload")
        request.headerFields[.authorization] = token
        let pieces = Mutex([Data("all".utf8)])
        let body = AsyncStream { pieces.withLock { $0.popLast() } }
        #expect(await service.respond(to: request, body: HTTPBody(body)).0.status.code == status)
        #expect(pieces.withLock { $0.isEmpty } == (status == 204))
    }

    @Test func `the quota of an anonymous client goes by its address`() async throws {
        let quota = ClientQuota(1, per: .seconds(60), clock: ManualClock())
        let api = MessageAPI.open { Ping.self }
        let service = try HTTPService(
            api,
            StandardDispatcher { PingHandler() },
            options: MountOptions(anonymousCommands: quota)
        ) { _ in }
        var statuses: [Int] = []
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2", nil, nil] {
            statuses.append(await service.respond(to: request(.post, "/ping"), from: address).0.status.code)
        }
        #expect(statuses == [204, 429, 204, 204, 204])
    }

    @Test func `canceling the task cancels the handler`() async throws {
        let service = try service()
        let task = Task { await service.respond(to: request(.get, "/api/wait")) }
        task.cancel()
        #expect(await task.value.0.status == .serviceUnavailable)
    }

    @Test func `dropping the body of a live query ends its observation`() async throws {
        let dispatcher = try shelves.dispatcher()
        let service = try HTTPService(.shelves, dispatcher, authenticator: Shelves.tokens) { _ in }
        var request = request(.get, "/shelves/a/notes")
        request.headerFields[.accept] = "text/event-stream"
        do {
            var pieces = await service.respond(to: request).1.makeAsyncIterator()
            while dispatcher.cache.observerCount == 0 { _ = try await pieces.next() }
        }
        while dispatcher.cache.observerCount > 0 { await Task.yield() }
    }

    @Test func `each live query of one address has a place until its body is dropped`() async throws {
        let options = MountOptions(live: LiveOptions(streamsPerClient: 1))
        let service = try service("/api", options)
        var request = request(.get, "/api/shelves/a/notes")
        request.headerFields[.accept] = "text/event-stream"
        do {
            let first = await service.respond(to: request, from: "192.0.2.1")
            #expect(await service.respond(to: request, from: "192.0.2.1").0.status == .tooManyRequests)
            #expect(await service.respond(to: request, from: "192.0.2.2").0.status == .ok)
            withExtendedLifetime(first) {}
        }
        #expect(await service.respond(to: request, from: "192.0.2.1").0.status == .ok)
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("192.0.2.1", "::ffff:192.0.2.1", true), ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
    ])
    func `live queries group addresses as quotas do`(first: String, second: String, isSame: Bool) async throws {
        let quota = ClientQuota(1, per: .seconds(60), clock: ManualClock())
        let options = MountOptions(live: LiveOptions(streamsPerClient: 1))
        let service = try service("/api", options)
        var request = request(.get, "/api/shelves/a/notes")
        request.headerFields[.accept] = "text/event-stream"
        let open = await service.respond(to: request, from: first)
        #expect(open.0.status == .ok)
        let status = await service.respond(to: request, from: second).0.status
        #expect(status == (isSame ? .tooManyRequests : .ok))
        #expect(quota.use(by: first) == nil)
        #expect((quota.use(by: second) != nil) == isSame)
        withExtendedLifetime(open) {}
    }

    @Test func `a principal shares no live queries with the address that is its identifier`() async throws {
        let tokens = StaticTokenAuthenticator([TokenHash(of: "reader"): Principal(id: "192.0.2.1")])
        let options = MountOptions(live: LiveOptions(streamsPerClient: 1))
        let service = try HTTPService(.shelves, shelves.dispatcher(), authenticator: tokens, options: options) { _ in }
        var request = request(.get, "/shelves/a/notes")
        request.headerFields[.accept] = "text/event-stream"
        let anonymous = await service.respond(to: request, from: "192.0.2.1")
        request.headerFields[.authorization] = "Bearer reader"
        let signedIn = await service.respond(to: request, from: "192.0.2.1")
        #expect([anonymous.0.status, signedIn.0.status] == [.ok, .ok])
        #expect(await service.respond(to: request, from: "192.0.2.2").0.status == .tooManyRequests)
        withExtendedLifetime((anonymous, signedIn)) {}
    }

    @Test func `faults are found before the first request`() throws {
        #expect(throws: InvalidMessageAPI.self) {
            try HTTPService(.shelves, shelves.dispatcher(), at: "/a b") { _ in }
        }
    }

    // MARK: Requests

    private func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "notes.example", path: path)
    }

    private var put: HTTPRequest {
        var put = request(.put, "/api/shelves/a/notes/1")
        put.headerFields = [.authorization: "Bearer writer", .contentType: "application/json"]
        return put
    }

    private func put(_ text: String) async throws -> (HTTPResponse, HTTPBody) {
        try await service().respond(to: put, body: HTTPBody(Data(#"{"text":"\#(text)"}"#.utf8)))
    }
}

/// A client that calls the functions instead of a server.
private struct ServiceClient: HTTPClient {
    /// The services by the first segment of the path.
    let services: [String: HTTPService]

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let base = services.keys.first { request.path?.hasPrefix("\($0)/") == true }
        let service = try #require(base.flatMap { services[$0] })
        return await service.respond(to: request, body: body)
    }
}

private final class Log: Sendable {
    private let events = Mutex<[String]>([])

    var texts: [String] { events.withLock { $0 } }

    func write(_ event: HTTPServiceEvent) { events.withLock { $0.append("\(event)") } }
}

private struct Ping: HTTPCommand {
    static let route: CommandRoute<Self> = .post("ping")
}

private struct PingHandler: CommandHandler {
    func handle(_ command: Ping) async throws {}
}

private struct Upload: BodyCommand {
    static let route: CommandRoute<Self> = .put("upload")
    let body: HTTPBytes
}

private struct UploadHandler: CommandHandler {
    func handle(_ command: Upload) async throws {}
}
