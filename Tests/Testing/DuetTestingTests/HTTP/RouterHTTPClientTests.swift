import Duet
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceContextModule
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RouterHTTPClientTests {
    private let router = Router()

    @Test
    func `a route receives the complete request, and the caller the complete response`() async throws {
        router.post("echo/:name") { request, context in
            let body = try await request.body.collect(upTo: 100)
            let fields: HTTPFields = [.accept: request.headers[.accept] ?? ""]
            let words = [
                context.parameters.get("name") ?? "", request.uri.queryParameters.get("x") ?? "",
                request.headers[.contentLength] ?? "", request.head.authority ?? "", String(buffer: body),
            ]
            return Response(status: .accepted, headers: fields, body: .init(byteBuffer: ByteBuffer(string: "\(words)")))
        }
        var sent = request(.post, "/echo/anna?x=1")
        sent.headerFields[.accept] = "text/plain"
        let (response, data) = try await RouterHTTPClient(router).data(for: sent, body: Data("hello".utf8))
        #expect(response.status == .accepted)
        #expect(response.headerFields[.accept] == "text/plain")
        #expect(String(decoding: data, as: UTF8.self) == #"["anna", "1", "5", "server", "hello"]"#)
    }

    @Test
    func `content that is written in pieces is joined`() async throws {
        router.get("pieces") { _, _ in
            Response(status: .ok, body: .init(contentsOf: ["a", "b", "c"].map { ByteBuffer(string: $0) }))
        }
        let (response, data) = try await RouterHTTPClient(router).data(for: request(.get, "/pieces"))
        #expect(response.headerFields[.contentLength] == "3")
        #expect(data == Data("abc".utf8))
    }

    @Test
    func `HEAD keeps the fields and has no content`() async throws {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("page") { _, _ in "hello" }
        let (response, data) = try await RouterHTTPClient(router).data(for: request(.head, "/page"))
        #expect(response.status == .ok)
        #expect(response.headerFields[.contentLength] == "5")
        #expect(data.isEmpty)
    }

    @Test
    func `content of a response that allows none is a broken connection`() async throws {
        router.head("page") { _, _ in "hello" }
        for status in [HTTPResponse.Status.noContent, .notModified] {
            router.get("\(status.code)") { _, _ in
                Response(status: status, body: .init(byteBuffer: ByteBuffer(string: "x")))
            }
        }
        let client = RouterHTTPClient(router)
        #expect(await reason(client, .head, "/page") == "HEAD and status 200 allow no content")
        #expect(await reason(client, .get, "/204") == "GET and status 204 allow no content")
        #expect(await reason(client, .get, "/304") == "GET and status 304 allow no content")
    }

    @Test
    func `content of another length than announced is a broken connection`() async throws {
        for length in 2...4 {
            router.get("\(length)") { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentLength: "\(length)"],
                    body: .init(byteBuffer: ByteBuffer(string: "abc"))
                )
            }
        }
        let client = RouterHTTPClient(router)
        #expect(await reason(client, .get, "/2") == "the response announces 2 bytes and has 3")
        let (_, data) = try await client.data(for: request(.get, "/3"))
        #expect(data == Data("abc".utf8))
        #expect(await reason(client, .get, "/4") == "the response announces 4 bytes and has 3")
    }

    @Test
    func `content that fails or is not finished is a broken connection`() async throws {
        router.get("fails") { _, _ in Response(status: .ok, body: .init { _ in throw Failure() }) }
        router.get("unfinished") { _, _ in
            Response(status: .ok, body: .init { writer in try await writer.write(ByteBuffer(string: "a")) })
        }
        let client = RouterHTTPClient(router)
        let error = await #expect(throws: HTTPClientError.self) { try await client.data(for: request(.get, "/fails")) }
        guard case .connectionFailed("http://server/fails", nil, let underlying)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(underlying is Failure)
        #expect(await reason(client, .get, "/unfinished") == "the content of the response was not finished")
    }

    @Test
    func `an error becomes the response of the router or of an application`() async throws {
        router.get("known") { _, _ -> String in throw HTTPError(.conflict) }
        router.get("unknown") { _, _ -> String in throw Failure() }
        let client = RouterHTTPClient(router)
        #expect(try await client.data(for: request(.get, "/known")).0.status == .conflict)
        #expect(try await client.data(for: request(.get, "/unknown")).0.status == .internalServerError)
        #expect(try await client.data(for: request(.get, "/nowhere")).0.status == .notFound)
    }

    @Test
    func `request options of the sender do not reach the server's clients`() async throws {
        router.get("options") { _, _ in
            let options = HTTPRequestOptions.current
            return "\(options.messageName ?? "") \(options.bypassedDecorators.count) \(options.maximumBodySize ?? -1)"
        }
        var options = HTTPRequestOptions()
        options.messageName = "LikeVideo"
        options.bypassedDecorators = [RetryingHTTPClient.self]
        options.maximumBodySize = 100
        let client = RouterHTTPClient(router)
        let data = try await options.use { try await client.data(for: request(.get, "/options")).1 }
        #expect(String(decoding: data, as: UTF8.self) == " 0 -1")
    }

    @Test(arguments: [2, 3, 4])
    func `content is read up to the limit of the message`(limit: Int) async throws {
        router.get("abc") { _, _ in "abc" }
        let client = RouterHTTPClient(router)
        var options = HTTPRequestOptions()
        options.maximumBodySize = limit
        let result = await options.use {
            do { return Result<_, any Error>.success(try await client.data(for: request(.get, "/abc")).1) } catch {
                return .failure(error)
            }
        }
        if limit >= 3 {
            #expect(try result.get() == Data("abc".utf8))
        } else {
            let error = #expect(throws: HTTPClientError.self) { try result.get() }
            guard case .bodyTooLarge("http://server/abc", limit)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test
    func `the router does not receive the sender's context`() async throws {
        router.get("who") { _, _ in Principal.current?.id ?? "a stranger" }
        let client = RouterHTTPClient(router)
        let (before, data) = try await withPrincipal(Principal(id: "anna")) {
            let (_, data) = try await client.data(for: request(.get, "/who"))
            return (Principal.current?.id, data)
        }
        #expect(String(decoding: data, as: UTF8.self) == "a stranger")
        #expect(before == "anna")
    }

    @Test
    func `a canceled sender cancels the handler`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        router.get("wait") { _, _ in
            start.yield()
            // This ends only with its task.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            end.yield(Task.isCancelled)
            return "too late"
        }
        let client = RouterHTTPClient(router)
        let task = Task { try await client.data(for: request(.get, "/wait")).1 }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await wasCancelled in ended {
            #expect(wasCancelled)
            break
        }
    }

    @Test
    func `the router receives no request of a canceled task`() async {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        router.get("page") { _, _ in
            ask.yield()
            return "hello"
        }
        let client = RouterHTTPClient(router)
        let result = await canceled { try await client.data(for: request(.get, "/page")).1 }
        #expect(throws: CancellationError.self) { try result.get() }
        ask.finish()
        #expect(await asked.reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test
    func `each request has a context with an id, and its connection ends with the response`() async throws {
        let (contexts, seen) = AsyncStream<ChannelContext>.makeStream()
        let router = Router(context: ChannelContext.self)
        router.get("page") { _, context in
            seen.yield(context)
            return context.id
        }
        let client = RouterHTTPClient(router)
        let (_, first) = try await client.data(for: request(.get, "/page"))
        let (_, second) = try await client.data(for: request(.get, "/page"))
        #expect(first != second)
        for await context in contexts {
            try await context.channel.closeFuture.get()
            break
        }
    }
}

private struct Failure: Error {}

private struct ChannelContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

private func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "http", authority: "server", path: path)
}

/// The reason of the broken connection of a request; nil without one.
private func reason(_ client: some HTTPClient, _ method: HTTPRequest.Method, _ path: String) async -> String? {
    do {
        _ = try await client.data(for: request(method, path))
        return nil
    } catch HTTPClientError.connectionFailed(_, let reason, _) {
        return reason
    } catch {
        return nil
    }
}
