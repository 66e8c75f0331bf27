import AsyncHTTPClient
import NIOCore
import NIOSSL

extension NIOHTTPClient {
    /// How long a client waits, how much it reads and whose certificates it trusts.
    public struct Configuration: Sendable {
        /// How long one exchange may take: connection, head and body.
        public var deadline: Duration

        /// The largest body that is read, in bytes; a message may ask for less.
        public var maximumBodySize: Int

        private var trustRoots: [NIOSSLCertificate] = []

        /// Makes a configuration: 30 seconds and 16 MiB unless told otherwise.
        public init(deadline: Duration = .seconds(30), maximumBodySize: Int = 16 * 1024 * 1024) {
            self.deadline = deadline
            self.maximumBodySize = maximumBodySize
        }

        /// Trusts servers whose certificates were signed by one of these authorities, besides those that the system trusts.
        ///
        /// - Parameter pem: Certificates of authorities in PEM (RFC 7468), one after the other.
        /// - Throws: ``InvalidTrustRoots`` when there is none or one that is not a certificate.
        public mutating func trust(pem: String) throws(InvalidTrustRoots) {
            let certificates: [NIOSSLCertificate]
            do {
                certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
            } catch {
                throw InvalidTrustRoots(underlying: error)
            }
            guard !certificates.isEmpty else { throw InvalidTrustRoots(underlying: nil) }
            trustRoots += certificates
        }

        var underlying: AsyncHTTPClient.HTTPClient.Configuration {
            var tls = TLSConfiguration.makeClientConfiguration()
            if !trustRoots.isEmpty { tls.additionalTrustRoots = [.certificates(trustRoots)] }
            // Connecting, or waiting for a free connection, must not fail before the deadline. Nor must an attempt that
            // nobody waits for go on for ever. Nanoseconds overflow for a deadline of centuries, hence the day.
            let connect = TimeAmount(min(max(deadline, .milliseconds(1)), .seconds(86_400)))
            var configuration = AsyncHTTPClient.HTTPClient.Configuration(
                tlsConfiguration: tls,
                redirectConfiguration: .disallow,
                timeout: .init(connect: connect),
                decompression: .disabled
            )
            // A refused connection fails at once; whether to try again is for a decorator to say.
            configuration.connectionPool.retryConnectionEstablishment = false
            // HTTP/2 where the server speaks it over TLS, else HTTP/1.1.
            configuration.httpVersion = .automatic
            // By itself it would trace each request with the process's tracer, beside a decorator that does, and write the
            // trace's fields twice, which no server can read.
            configuration.tracing.tracer = nil
            configuration.http1_1ConnectionDebugInitializer = { HTTP1StatusCheck.add(to: $0) }
            configuration.http2StreamChannelDebugInitializer = { HTTP2StatusCheck.add(to: $0) }
            return configuration
        }
    }
}
