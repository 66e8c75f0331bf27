import Crypto
import Foundation
import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// An HTTPS server for `localhost` on a free port, whose certificate was made for one test.
struct TLSServer {
    /// What the server offers when the connection begins.
    enum Offer: CaseIterable {
        case http1
        case http2
    }

    let port: Int

    /// The certificate in PEM, which is its own authority.
    let pem: String

    /// Runs a test with a server that tells what kind of channel a request came on, and echoes bodies.
    static func run(_ offer: Offer, test: (TLSServer) async throws -> Void) async throws {
        let (pem, tls) = try makeCertificate()
        let router = Router(context: ChannelContext.self)
        router.get("channel") { _, context in context.channel }
        router.post("echo") { request, _ in Response(status: .ok, body: ResponseBody(asyncSequence: request.body)) }
        router.get("downgrade") { _, _ in
            Response(status: .found, headers: [.location: "http://localhost:1/"])
        }
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            server: offer == .http2 ? try .http2Upgrade(tlsConfiguration: tls) : try .tls(tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) }
        )
        let server = Task { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        do {
            try await test(TLSServer(port: port, pem: pem))
        } catch {
            server.cancel()
            _ = await server.result
            throw error
        }
        server.cancel()
        _ = await server.result
    }

    private static func makeCertificate() throws -> (pem: String, tls: TLSConfiguration) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 946_684_800),
            notValidAfter: Date(timeIntervalSince1970: 4_102_444_800),
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: .init(key)
        )
        let pem = try certificate.serializeAsPEM().pemString
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map { NIOSSLCertificateSource.certificate($0) }
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        return (pem, .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(privateKey)))
    }
}

/// What kind of channel a request came on, such as a stream of an HTTP/2 connection.
private struct ChannelContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: String

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = "\(type(of: source.channel))"
    }
}
