import Duet
package import Foundation
package import HTTPTypes
import Synchronization

/// The value of a live query, and each later value that differs from the one before, as the pieces of a body.
///
/// It ends with the updates, when the time is up, and after ``end()``. It is read once.
package struct EventStream: AsyncSequence, Sendable {
    private let first: EncodedEvent?
    private let version: CacheVersion?
    private let events: QueryStates<EncodedEvent>
    private let lastEventID: String?
    private let options: LiveOptions
    private let clock: any Clock<Duration>
    private let place: OpenStreams.Place
    private let next = NextEvent()
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(
        first: EncodedEvent?,
        version: CacheVersion?,
        events: QueryStates<EncodedEvent>,
        lastEventID: String?,
        options: LiveOptions,
        clock: any Clock<Duration>,
        place: OpenStreams.Place
    ) {
        self.first = first
        self.version = version
        self.events = events
        self.lastEventID = lastEventID
        self.options = options
        self.clock = clock
        self.place = place
        // A slow client skips to the newest value, and a heartbeat does not replace a value.
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package static var headers: HTTPFields {
        [
            .contentType: ServerSentEvent.mediaType, .cacheControl: "no-store, no-transform", .vary: "Accept",
            // Reverse proxies such as nginx would collect the events.
            .known("X-Accel-Buffering"): "no",
        ]
    }

    package func end() { signal.finish() }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            stream: self,
            signals: signals.makeAsyncIterator(),
            work: Work([Task { await observe() }, Task { await keepTime() }])
        )
    }

    /// Reads the pieces.
    ///
    /// The observation of the value ends with it.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: EventStream
        fileprivate var signals: AsyncStream<Void>.Iterator
        fileprivate let work: Work
        private var count = 0
        /// The rest of an event whose version was read.
        private var rest: Data?

        fileprivate init(stream: EventStream, signals: AsyncStream<Void>.Iterator, work: Work) {
            self.stream = stream
            self.signals = signals
            self.work = work
        }

        package mutating func next() async -> Data? {
            if let rest = rest.take() { return rest }
            count += 1
            if count == 1 { return ServerSentEvent.retry(after: stream.options.reconnectDelay) }
            if count == 2, let first = stream.first, first.id != stream.lastEventID {
                return piece(first, stream.version)
            }
            guard await signals.next(isolation: #isolation) != nil else {
                await work.end()
                return nil
            }
            let (event, version) = stream.next.take()
            return piece(event, version)
        }

        /// The field of a version, before the rest of its event, or the event or a heartbeat without a version.
        private mutating func piece(_ event: EncodedEvent?, _ version: CacheVersion?) -> Data {
            guard let version else { return event?.bytes ?? ServerSentEvent.heartbeat }
            rest = event?.bytes ?? ServerSentEvent.end
            return ServerSentEvent.field(of: version)
        }
    }

    private func observe() async {
        var last = first?.id ?? lastEventID
        var updates = QueryUpdates(events)
        while let update = await updates.next() {
            var event: EncodedEvent?
            switch update {
            case .value(let value): event = value
            case .confirmed: break
            // After a failure the client keeps its last value, and gets the next one.
            case .unchanged, .failure: continue
            }
            if event?.id == last { event = nil }
            guard event != nil || updates.version != nil else { continue }
            last = event?.id ?? last
            next.set(event, updates.version)
            signal.yield()
        }
        // Changes are no longer reported, so the client must connect again.
        signal.finish()
    }

    private func keepTime() async {
        var remaining = options.maximumDuration
        while remaining > .zero {
            let pause = Swift.min(remaining, options.heartbeat)
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            remaining -= pause
            signal.yield()
        }
        signal.finish()
    }
}

/// Tasks that are canceled when nothing refers to this anymore.
private final class Work: Sendable {
    private let tasks: [Task<Void, Never>]

    init(_ tasks: [Task<Void, Never>]) {
        self.tasks = tasks
    }

    deinit { cancel() }

    /// Cancels the tasks, and waits until they have ended.
    func end() async {
        cancel()
        for task in tasks { await task.value }
    }

    private func cancel() {
        for task in tasks { task.cancel() }
    }
}

/// The newest event that has not been sent.
private final class NextEvent: Sendable {
    typealias State = (event: EncodedEvent?, version: CacheVersion?)

    private let state = Mutex<State>((nil, nil))

    /// - Parameters:
    ///   - event: The event; nil if the value has only another version.
    ///   - version: The version of the value.
    func set(_ event: EncodedEvent?, _ version: CacheVersion?) {
        state.withLock { $0 = (event ?? $0.event, version) }
    }

    func take() -> State {
        state.withLock { state in
            defer { state = (nil, nil) }
            return state
        }
    }
}

extension HTTPFields {
    /// Whether the sender asks for events.
    package var acceptsEvents: Bool {
        self[values: .accept].contains { $0.lowercased().contains(ServerSentEvent.mediaType) }
    }
}
