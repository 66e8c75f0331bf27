import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import NIOCore
import ServiceLifecycle

/// An HTTPS server for `localhost` on a free port.
struct TLSServer {
    /// The protocols that the server offers.
    enum Offer: CaseIterable {
        case http1
        case http2
    }

    let port: Int

    /// The certificate of the server's authority in PEM.
    let pem: String

    /// The numbered requests that get no response.
    let arrivals: Arrivals

    /// Runs a test with a server that reports channels, echoes bodies, redirects, or never responds.
    static func run(
        _ offer: Offer,
        signedBy authority: CertificateAuthority,
        test: (TLSServer) async throws -> Void
    ) async throws {
        let tls = try authority.makeServerConfiguration()
        let arrivals = Arrivals()
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(arrivals),
            server: offer == .http2 ? try .http2Upgrade(tlsConfiguration: tls) : try .tls(tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) }
        )
        let service = ServiceGroup(services: [application], logger: application.logger)
        async let running: Void = service.run()
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        let result: Result<Void, any Error>
        do {
            result = .success(try await test(TLSServer(port: port, pem: authority.pem, arrivals: arrivals)))
        } catch {
            result = .failure(error)
        }
        // Not canceled: that would drop accepted connections that are not handled yet.
        await service.triggerGracefulShutdown()
        let end: Result<Void, any Error>
        do { end = .success(try await running) } catch { end = .failure(error) }
        try result.get()
        try end.get()
    }

    func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "localhost:\(port)", path: path)
    }

    /// `data: 1` and an empty line, with gzip.
    private static let event = Array(Data(base64Encoded: "H4sIAAAAAAACA0tJLEm0UjDk4gIAzs14VAkAAAA=") ?? Data())

    private static func router(_ arrivals: Arrivals) -> Router<ChannelContext> {
        let router = Router(context: ChannelContext.self)
        router.get("channel") { _, context in context.channel }
        router.post("echo") { request, _ in Response(status: .ok, body: ResponseBody(asyncSequence: request.body)) }
        router.get("downgrade") { _, _ in
            Response(status: .found, headers: [.location: "http://localhost:1/"])
        }
        router.get("events") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .contentEncoding: "gzip"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: event))
            )
        }
        router.get("redirect") { _, _ in Response(status: .found, headers: [.location: "/channel"]) }
        router.get("challenge") { _, _ in
            Response(
                status: .unauthorized,
                headers: [.wwwAuthenticate: "Basic realm=\"a\""],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "no"))
            )
        }
        router.get("silence/:number") { _, context in
            arrivals.record(try context.parameters.require("number", as: Int.self))
            // Ends with the server.
            for await _ in AsyncStream<Never>.makeStream().stream.cancelOnGracefulShutdown() {}
            return Response(status: .noContent)
        }
        return router
    }
}

/// A context with the channel of a request, such as a stream of an HTTP/2 connection.
private struct ChannelContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The kind of the channel and, on another line, its connection.
    let channel: String

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = "\(type(of: source.channel))\n\(ObjectIdentifier(source.channel.parent ?? source.channel))"
    }
}
