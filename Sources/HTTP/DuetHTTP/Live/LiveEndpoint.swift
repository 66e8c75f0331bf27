package import Duet
package import Foundation

/// A live query as a server handles it, independent of the server framework.
package struct LiveEndpoint: Sendable {
    /// Whether a dispatcher reports the changes of the query.
    package let isReported: @Sendable (_ dispatcher: any Dispatcher) -> Bool

    /// Reads a query that ``ServedEndpoint/handle`` has responded to, and observes its value.
    ///
    /// - Returns: The current value and its changes as contents of events, or nil if they are not reported.
    package let contents:
        @Sendable (_ request: ReceivedMessage, _ dispatcher: any Dispatcher) throws -> QueryStates<Data>?

    init<Query: HTTPQuery>(
        _ live: LiveQuery<Query>,
        coder: MessageCoder<Query>,
        payloads: PayloadCoder<Query.Payload>,
        admission: Admission<Query>
    ) {
        isReported = live.isReported
        contents = { request, dispatcher in
            let query = try coder.decode(request)
            let caller = Caller.current
            // The same message has been accepted, and is checked again for each later value.
            return caller.admitted { live.served(query, dispatcher) { try await admission.admit(query, of: caller) } }?
                .map { payload in try payloads.response(with: payload).eventData }
        }
    }
}

extension ServedResponse {
    /// The content as the data of an event, which cannot be empty.
    package var eventData: Data { body ?? Data("null".utf8) }
}
