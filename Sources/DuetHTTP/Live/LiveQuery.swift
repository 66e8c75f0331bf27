package import Duet
import Foundation

/// Serves and observes a query whose changes are reported as server-sent events.
///
/// It is created where the value is known to be `Sendable`, and used where that is not known.
package struct LiveQuery<Query: HTTPQuery>: Sendable {
    /// Whether a dispatcher reports the changes of the query.
    package let isReported: @Sendable (_ dispatcher: any Dispatcher) -> Bool

    /// The updates that a dispatcher reports, as payloads.
    let served: @Sendable (_ query: Query, _ dispatcher: any Dispatcher) -> QueryUpdates<Query.Payload>?

    /// The updates that a server reports: `QueryUpdates<Query.Value>`.
    let observed: @Sendable (_ query: Query, _ server: HTTPServer) -> any Sendable

    init() where Query.Value: Sendable {
        isReported = { ($0 as? any LiveDispatcher)?.isLive(Query.self) == true }
        served = { query, dispatcher in
            (dispatcher as? any LiveDispatcher)?.updates(of: query).map { updates in
                updates.mapValues { try Query.payload(from: $0, answering: query) }
            }
        }
        observed = { query, server in
            QueryUpdates<Query.Value> {
                var connection = LiveConnection(query, server)
                return { await connection.next() }
            }
        }
    }
}
