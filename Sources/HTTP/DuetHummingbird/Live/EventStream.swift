import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// Sends the value of a live query, and each later value that differs from the one before.
struct EventStream: Sendable {
    /// The event of the current value; nil if it is the first of the contents.
    let first: EncodedEvent?
    let contents: QueryStates<Data>
    let events: EncodedEvents
    /// The last event that the client has received.
    let lastEventID: String?
    let options: LiveOptions
    let clock: any Clock<Duration>
    let presence: ClientPresence?
    let place: OpenStreams.Place

    var response: Response {
        let headers: HTTPFields = [
            .contentType: ServerSentEvent.mediaType, .cacheControl: "no-store", .vary: "Accept",
            // Reverse proxies such as nginx would collect the events.
            .known("X-Accel-Buffering"): "no",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody { try await write(to: &$0) })
    }

    /// Writes until the client has disconnected, the time is up, or the server shuts down.
    @concurrent
    private func write(to writer: inout any ResponseBodyWriter) async throws {
        let next = NextEvent()
        // A slow client skips to the newest value, and a heartbeat does not replace a value.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let action = presence?.whenGone { signal.finish() }
        defer { if let action { presence?.forget(action) } }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { await observe(next, signal) }
                group.addTask { await keepTime(signal) }
                try await send(ServerSentEvent.retry(after: options.reconnectDelay), to: &writer)
                if let first, first.id != lastEventID { try await send(first.bytes, to: &writer) }
                for await _ in signals {
                    try await send(next.take()?.bytes ?? ServerSentEvent.heartbeat, to: &writer)
                }
            }
        } onGracefulShutdown: {
            signal.finish()
        }
        try await writer.finish(nil)
        withExtendedLifetime(place) {}
    }

    private func observe(_ next: NextEvent, _ signal: AsyncStream<Void>.Continuation) async {
        var last = first?.id ?? lastEventID
        var updates = QueryUpdates(contents)
        while let update = await updates.next() {
            // After a failure the client keeps its last value, and gets the next one.
            guard case .value(let content) = update else { continue }
            let event = events.event(of: content)
            guard event.id != last else { continue }
            last = event.id
            next.set(event)
            signal.yield()
        }
        // Changes are no longer reported, so the client must connect again.
        signal.finish()
    }

    private func keepTime(_ signal: AsyncStream<Void>.Continuation) async {
        var remaining = options.maximumDuration
        while remaining > .zero {
            let pause = min(remaining, options.heartbeat)
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            remaining -= pause
            signal.yield()
        }
        signal.finish()
    }

    @concurrent
    private func send(_ bytes: Data, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(inPieces: bytes)
    }
}

/// The newest event that has not been sent.
private final class NextEvent: Sendable {
    private let event = Mutex<EncodedEvent?>(nil)

    func set(_ event: EncodedEvent) { self.event.withLock { $0 = event } }

    func take() -> EncodedEvent? { event.withLock { $0.take() } }
}

extension HTTPFields {
    /// Whether the sender asks for events.
    package var acceptsEvents: Bool {
        self[values: .accept].contains { $0.lowercased().contains(ServerSentEvent.mediaType) }
    }
}
