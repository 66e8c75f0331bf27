public import Duet
public import DuetHTTP
public import Foundation
public import Hummingbird
import ServiceContextModule

extension EventStreams {
    /// Responds with an event for each value, as the same method does for another server.
    ///
    /// The response also ends when the client disconnects and when the server shuts down. `client` is the IP address of
    /// the client, for example as a reverse proxy states it; nil for that of its connection.
    public func response(
        to request: Request,
        with contents: QueryStates<Data>,
        client: String? = nil
    ) -> Response {
        let presence = ServiceContext.current?.clientPresence
        do throws(ServedResponse) {
            let events = try begin(
                contents,
                for: ServedClient(address: client ?? presence?.address ?? ""),
                lastEventID: request.headers[.lastEventID]
            )
            return Response(ServedResponse(status: .ok, headers: EventStream.headers), presence, events)
        } catch {
            return Response(error, to: request.method)
        }
    }
}
