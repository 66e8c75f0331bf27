import AsyncHTTPClient
public import DuetHTTP
import Foundation
import NIOCore
import NIOSSL

extension NIOHTTPClient {
    /// The deadline, the body limit, the protocols and the trusted certificates of a client.
    public struct Configuration: Sendable {
        package var deadline: Duration
        package var maximumBodySize: Int

        /// The largest number of connections to one host over HTTP/1.1; further requests wait for a free one.
        ///
        /// A request uses a connection until its response was read. A live query uses one as long as it is observed.
        public var connectionsPerHost = 100

        /// Whether HTTP/2 is offered over TLS; only for servers that you trust, and by default not.
        ///
        /// A server that breaks the protocol before its first settings can make the packages below use memory without
        /// end, and end the process. After the first settings, the client closes a connection that breaks the protocol,
        /// that receives 1 MiB more than the content that it delivers, or 4,096 frames of less than 128 bytes of
        /// content. Each request and each second allow more: 64 KiB, and 64 or 256 frames.
        public var offersHTTP2 = false

        /// Whether requests are sent only to public addresses, for URLs from others; by default not.
        ///
        /// Otherwise such a URL could lead to this machine or to its private network. The address of each connection
        /// is checked before the request is sent, so that neither a name nor a redirect can bypass the check.
        public var sendsToPublicAddressesOnly = false

        private var trustRoots: [NIOSSLCertificate] = []

        /// Creates a configuration, by default with a deadline of 30 seconds and a limit of 16 MiB.
        ///
        /// - Parameters:
        ///   - deadline: How long one exchange may take, including connecting, the head and the body.
        ///   - maximumBodySize: The largest body that is collected, in bytes; the options of a request may set a lower
        ///     limit.
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
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, connectionsPerHost)
            configuration.httpVersion = offersHTTP2 ? .automatic : .http1Only
            // By default, each request is traced with the process's tracer. Together with a tracing decorator, that
            // writes the trace's fields twice, which no server can read.
            configuration.tracing.tracer = nil
            // A new connection gets a request only after this.
            let check = { @Sendable [sendsToPublicAddressesOnly] (channel: any Channel) in
                sendsToPublicAddressesOnly
                    ? PrivateAddress.refuse(channel) : channel.eventLoop.makeSucceededVoidFuture()
            }
            configuration.http1_1ConnectionDebugInitializer = { channel in
                check(channel).flatMap { HTTP1StatusCheck.add(to: channel) }
            }
            configuration.http2ConnectionDebugInitializer = { channel in
                // At once, because more frames have already arrived.
                HTTP2FloodGuard.add(to: channel).flatMap { HTTP2LastStream.add(to: channel) }.flatMap { check(channel) }
            }
            configuration.http2StreamChannelDebugInitializer = { stream in
                HTTP2StatusCheck.add(to: stream).flatMap { UnprocessedRequest.recognize(on: stream) }
            }
            return configuration
        }
    }
}

/// The error of a text that does not contain valid certificates of authorities.
public struct InvalidTrustRoots: Error {
    /// The parser's error; nil if the text contains no certificate.
    package let underlying: (any Error)?
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
