package import Duet
package import DuetDependencies
package import DuetHummingbird
import HTTPTypes
package import Hummingbird
import Instrumentation
package import Logging
package import NIOCore
import ServiceContextModule
import Synchronization

/// The context of a request outside of its scope, with the address of the client.
package struct ConnectionContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The IP address at the other end of the connection; nil for a request within the process.
    package let clientAddress: String?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        // The channel forgets the address when the client disconnects.
        clientAddress = ServiceContext.current?.clientAddress ?? source.channel.remoteAddress?.ipAddress
    }
}

package typealias NextResponder = @concurrent (Request, ScopedRequestContext) async throws -> Response

/// The scope of a request, which is made when something asks for it.
private final class RequestScope: Sendable {
    private struct Ended: Error, CustomStringConvertible {
        var description: String { "The request has ended, so nothing can be resolved for it." }
    }

    private let make: @Sendable () throws -> Scope
    private let state = Mutex<Result<Scope, Ended>?>(nil)

    init(_ make: @escaping @Sendable () throws -> Scope) {
        self.make = make
    }

    var scope: Scope {
        get throws {
            try state.withLock { state in
                let result = try state ?? .success(make())
                state = result
                return try result.get()
            }
        }
    }

    /// Runs `body`, and ends the scope however `body` ends.
    func ending<Value>(after body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            try await end()?.ending { _ in }
            return value
        } catch {
            await end()?.dispose()
            throw error
        }
    }

    private func end() -> Scope? {
        state.withLock { state in
            let made = state
            state = made ?? .failure(Ended())
            return try? made?.get()
        }
    }
}

/// The context of a request, which includes the scope in which the request is handled.
package struct ScopedRequestContext: RequestContext {
    package struct Source: RequestContextSource {
        package let logger: Logger
        fileprivate let scope: RequestScope
        let clientAddress: String?
    }

    package var coreContext: CoreRequestContextStorage

    package let clientAddress: String?

    private let requestScope: RequestScope

    /// The scope that resolves the dependencies of this request, and ends with the response.
    package var scope: Scope { get throws { try requestScope.scope } }

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        requestScope = source.scope
        clientAddress = source.clientAddress
    }

    /// Dispatches messages to handlers that are resolved in the scope of this request.
    package var dispatcher: any Dispatcher {
        get async throws { try await scope.resolve() }
    }
}

/// Handles each request in a separate scope.
///
/// Lines of all loggers identify the request with `Logger.MetadataProvider.request`.
///
/// The scope ends when the response has been created or an error has been thrown. A body that is written later can no
/// longer resolve anything.
package struct ScopedResponder: HTTPResponder {
    let container: Container
    let overriding: @Sendable (Request, ConnectionContext) -> [Override]
    let responder: RouterResponder<ScopedRequestContext>

    package func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let scope = RequestScope { [container, overriding] in
            try container.makeScope(overriding: overriding(request, context))
        }
        var values = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &values, using: FieldExtractor())
        // Not the context's id, which needs a log handler that keeps metadata.
        values.ids.request = context.logger[metadataKey: "hb.request.id"]
        return try await ServiceContext.withValue(values) {
            try await scope.ending {
                let source = ScopedRequestContext.Source(
                    logger: context.logger,
                    scope: scope,
                    clientAddress: context.clientAddress
                )
                return try await withServedRequest {
                    try await responder.respond(to: request, context: ScopedRequestContext(source: source))
                }
            }
        }
    }
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }
}

extension Router<ScopedRequestContext> {
    /// Creates the server of this router, which handles each request in a scope of `container`.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 stands for any free port.
    ///   - overriding: Returns the overrides of a request's scope, from the request and its context outside of the
    ///     scope.
    ///   - logger: Logs requests and failures.
    package func application(
        in container: Container,
        host: String,
        port: Int,
        limits: ServerLimits = ServerLimits(),
        overriding: @escaping @Sendable (Request, ConnectionContext) -> [Override] = { _, _ in [] },
        onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void,
        logger: Logger?
    ) -> some ApplicationProtocol {
        Application(
            responder: ScopedResponder(container: container, overriding: overriding, responder: buildResponder()),
            limits: limits,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: onServerRunning,
            logger: logger,
            wrapping: { $0 }
        )
    }
}
