public import Duet
public import DuetHTTP
public import Foundation
public import Hummingbird
import ServiceContextModule

extension EventStreams {
    /// Responds with an event for each value, or refuses a client that observes too many values with 429 or 503.
    ///
    /// A failure is not sent: the client keeps its last value, and receives the next one. The response ends with the
    /// updates, when the client disconnects, after ``/DuetHTTP/LiveOptions/maximumDuration``, and when the server shuts
    /// down.
    ///
    /// - Parameters:
    ///   - request: The request of the client.
    ///   - contents: The content of each event.
    ///   - client: The IP address of the client, for example as a reverse proxy states it; nil for that of its
    ///     connection.
    public func response(
        to request: Request,
        with contents: QueryStates<Data>,
        client: String? = nil
    ) -> Response {
        let presence = ServiceContext.current?.clientPresence
        do throws(ServedResponse) {
            let events = try begin(
                nil,
                then: contents,
                for: ServedClient(address: client ?? presence?.address ?? ""),
                lastEventID: request.headers[.lastEventID]
            )
            return Response(ServedResponse(status: .ok, headers: EventStream.headers), presence, events)
        } catch {
            return Response(error, to: request.method)
        }
    }
}
