package import DuetHummingbird
import FeedServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
package import ServiceLifecycle

extension ProxyResponder {
    /// Creates the server of the proxy.
    ///
    /// Hummingbird's `Application` would replace the `Date` of each response (RFC 9110, section 6.6.1).
    ///
    /// - Throws: The error of Hummingbird.
    package func server(
        host: String,
        port: Int,
        hosts: AllowedHosts,
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger
    ) throws -> any Service {
        let hosts = HostMiddleware<ConnectionContext>(hosts)
        let limited = Application(
            responder: self,
            limits: ServerLimits(headerSize: 131_072, headerCount: 256, bodyTimeout: .seconds(600)),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            logger: logger,
            wrapping: { $0 }
        )
        return try limited.server.buildServer(
            configuration: ServerConfiguration(
                address: limited.configuration.address,
                availableConnectionsDelegate: limited.configuration.availableConnectionsDelegate
            ),
            eventLoopGroup: limited.eventLoopGroup,
            logger: logger,
            responder: { (request, writer: consuming ResponseWriter, channel) in
                // The client may wait for this before it sends its content (RFC 9110, section 10.1.1).
                if request.headers[.expect]?.lowercased() == "100-continue" {
                    try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                }
                var logger = logger
                logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
                let source = ApplicationRequestContextSource(channel: channel, logger: logger)
                let context = ConnectionContext(source: source)
                // Otherwise a web page could reach an origin that refuses other hosts. Browsers always name one.
                let response =
                    if request.head.authority == nil {
                        try await respond(to: request, context: context)
                    } else {
                        try await hosts.handle(request, context: context) { try await respond(to: $0, context: $1) }
                    }
                try await writer.write(response: response.head, body: response.body)
            },
            onServerRunning: onServerRunning
        )
    }
}
