package import Duet
import Foundation

/// Serves and observes a query whose changes are reported as server-sent events.
///
/// It is created where the value is known to be `Sendable`, and used where that is not known.
package struct LiveQuery<Query: HTTPQuery>: Sendable {
    /// Throws the reason why a value must not be sent.
    typealias Check = @Sendable () async throws -> Void

    package let isReported: @Sendable (_ dispatcher: any Dispatcher) -> Bool

    /// Encodes a value, or the cached value.
    typealias Encoding = @Sendable (Query.Value, KeptValue?) async throws -> EncodedEvent

    /// The states that a dispatcher reports, as events; each value is checked.
    let served:
        @Sendable (_ query: Query, _ dispatcher: any Dispatcher, _ check: @escaping Check, @escaping Encoding) ->
            QueryStates<EncodedEvent>?

    /// The states that a server reports: `QueryStates<Query.Value>`.
    let observed: @Sendable (_ query: Query, _ server: HTTPServer) -> any Sendable

    /// - Parameter eventTypes: The types of the events that have a value.
    init(eventTypes: Set<String>) where Query.Value: Sendable {
        isReported = { eventTypes.contains("message") && $0.isLive(Query.self) }
        served = { query, dispatcher, check, encode in
            let checked = dispatcher.updates(of: query)?.passing { outcome in
                let value = try outcome.get()
                try await check()
                return value
            }
            return checked?.converting(encode)
        }
        observed = { query, server in
            QueryStates<Query.Value> {
                var connection = LiveConnection(query, eventTypes, server)
                var state = QueryState<Query.Value>()
                return {
                    guard let update = await connection.next() else { return nil }
                    state.apply(update)
                    state.version = connection.version
                    return state
                }
            }
        }
    }
}
