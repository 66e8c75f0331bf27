import AsyncHTTPClient
public import DuetHTTP
import Foundation
import NIOCore
import NIOSSL

extension NIOHTTPClient {
    /// The deadline, the body limit and the trusted certificates of a client.
    public struct Configuration: Sendable {
        /// How long one exchange may take, including connecting, the head and the body.
        public var deadline: Duration

        /// The largest body that is collected, in bytes; the options of a request may set a lower limit.
        public var maximumBodySize: Int

        private var trustRoots: [NIOSSLCertificate] = []

        /// Creates a configuration, by default with a deadline of 30 seconds and a limit of 16 MiB.
        public init(deadline: Duration = .seconds(30), maximumBodySize: Int = 16 * 1024 * 1024) {
            self.deadline = deadline
            self.maximumBodySize = maximumBodySize
        }

        /// Trusts certificates signed by these authorities, in addition to those that the system trusts.
        ///
        /// - Parameter pem: The certificates of the authorities in PEM (RFC 7468), one after the other.
        /// - Throws: ``InvalidTrustRoots`` if the text contains no certificate, or one that cannot be read.
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
            // Connecting, or waiting for a free connection, must not fail before the deadline, and an abandoned attempt
            // must end. A day at most, because nanoseconds overflow for a deadline of centuries.
            let connect = TimeAmount(min(max(deadline, .milliseconds(1)), .seconds(86_400)))
            var configuration = AsyncHTTPClient.HTTPClient.Configuration(
                tlsConfiguration: tls,
                redirectConfiguration: .disallow,
                timeout: .init(connect: connect),
                decompression: .disabled
            )
            // A refused connection fails at once. Retries are a decorator.
            configuration.connectionPool.retryConnectionEstablishment = false
            // HTTP/2 if the server offers it over TLS, and HTTP/1.1 otherwise.
            configuration.httpVersion = .automatic
            // By default, each request is traced with the process's tracer. Together with a tracing decorator, that
            // writes the trace's fields twice, which no server can read.
            configuration.tracing.tracer = nil
            configuration.http1_1ConnectionDebugInitializer = { HTTP1StatusCheck.add(to: $0) }
            configuration.http2StreamChannelDebugInitializer = { HTTP2StatusCheck.add(to: $0) }
            return configuration
        }
    }
}

/// The error of a text that does not contain valid certificates of authorities.
public struct InvalidTrustRoots: Error {
    /// The parser's error; nil if the text contains no certificate.
    public let underlying: (any Error)?
}

extension InvalidTrustRoots: DescribedError {
    /// The fault, and the expected format.
    public var description: String {
        let fault = underlying.map { "a certificate cannot be read (\($0))" } ?? "there is no certificate in the text"
        return """
            The trust roots are invalid: \(fault). Use certificates in PEM, which begin with \
            -----BEGIN CERTIFICATE-----.
            """
    }
}
