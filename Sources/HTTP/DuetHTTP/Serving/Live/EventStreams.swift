public import Duet
public import Foundation
public import HTTPTypes

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
    /// A failure is not sent: the client keeps its last value, and receives the next one. The body ends with the
    /// updates and after `LiveOptions(maximumDuration:)`. Its reader stops when the client has disconnected.
    ///
    /// - Parameters:
    ///   - request: The request of the client.
    ///   - contents: The content of each event.
    ///   - client: The IP address of the client.
    public func response(
        to request: HTTPRequest,
        with contents: QueryStates<Data>,
        client: String
    ) -> (HTTPResponse, HTTPBody) {
        do throws(ServedResponse) {
            let client = ServedClient(address: client)
            let events = try begin(contents, for: client, lastEventID: request.headerFields[.lastEventID])
            return ServedResponse(status: .ok, headers: EventStream.headers).sent(to: request.method, events)
        } catch {
            return error.sent(to: request.method)
        }
    }

    /// Takes a place for a client, and returns the events of the contents that it is sent.
    ///
    /// - Throws: A response with 429 or 503 if too many values are observed.
    package func begin(
        _ contents: QueryStates<Data>,
        for client: ServedClient,
        lastEventID: String?
    ) throws(ServedResponse) -> EventStream {
        try begin(nil, then: contents.map(events.event), for: client, lastEventID: lastEventID)
    }

    /// - Parameter first: The current value; nil if it is the first of the events.
    func begin(
        _ first: EncodedEvent?,
        _ version: CacheVersion? = nil,
        then events: QueryStates<EncodedEvent>,
        for client: ServedClient,
        lastEventID: String?
    ) throws(ServedResponse) -> EventStream {
        let place = try open.enter(client)
        return EventStream(
            first: first,
            version: version,
            events: events,
            lastEventID: lastEventID,
            options: options,
            clock: clock,
            place: place
        )
    }
}
