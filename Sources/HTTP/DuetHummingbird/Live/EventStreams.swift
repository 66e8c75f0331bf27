public import Duet
import DuetContext
import DuetHTTP
public import Foundation
public import Hummingbird
import ServiceContextModule

/// Sends the changes of values to browsers and other clients as server-sent events.
///
/// A mounted live query needs none of this. Use it for a custom route, for example for a part of a page that changes:
/// convert the values of `dispatcher.observe(_:)` with `map`, and return ``response(to:with:client:)``.
///
/// The identifier of an event is a hash of its content. A client that connects again receives the current value only
/// if it differs from the last one that it has received. A slow client skips to the newest value.
public final class EventStreams: Sendable {
    private let options: LiveOptions
    private let clock: any Clock<Duration>
    private let open: OpenStreams
    private let events = EncodedEvents()

    /// Creates the streams, which share the limits of the options.
    public init(_ options: LiveOptions = LiveOptions(), clock: any Clock<Duration> = ContinuousClock()) {
        self.options = options
        self.clock = clock
        open = OpenStreams(options)
    }

    /// Responds with an event for each value, or refuses a client that observes too many values with 429 or 503.
    ///
    /// A failure is not sent: the client keeps its last value, and receives the next one. The response ends with the
    /// updates, when the client disconnects, after ``LiveOptions/maximumDuration``, and when the server shuts down.
    ///
    /// - Parameters:
    ///   - request: The request of the client.
    ///   - contents: The content of each event.
    ///   - client: Tells the client apart from others, for example by its address as a reverse proxy states it; nil for
    ///     the address of its connection.
    public func response(
        to request: Request,
        with contents: QueryStates<Data>,
        client: String? = nil
    ) -> Response {
        do throws(Refusal) {
            return try begin(
                nil,
                then: contents,
                lastEventID: request.headers[.lastEventID],
                for: client,
                ServiceContext.current?.clientPresence
            ).response
        } catch {
            return error.response(to: request.method)
        }
    }

    func begin(
        _ first: Data?,
        then contents: QueryStates<Data>,
        lastEventID: String?,
        for client: String?,
        _ presence: ClientPresence?
    ) throws(Refusal) -> EventStream {
        let place = try open.enter(client ?? presence?.address ?? "")
        return EventStream(
            first: first.map(events.event),
            contents: contents,
            events: events,
            lastEventID: lastEventID,
            options: options,
            clock: clock,
            presence: presence,
            place: place
        )
    }
}
