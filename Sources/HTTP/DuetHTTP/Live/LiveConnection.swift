import Duet
import Foundation
import HTTPTypes

/// Observes one query at a server, and connects again when the connection is lost.
struct LiveConnection<Query: HTTPQuery> where Query.Value: Sendable {
    private enum Step {
        case update(QueryUpdate<Query.Value>)
        case nothing
        case end
    }

    private struct Reader {
        var body: HTTPBody.AsyncIterator
        var parser: EventParser
        var events: ArraySlice<ServerSentEvent> = []
        let response: MessageResponse
    }

    private let query: Query
    private let server: HTTPServer
    private let payloads: PayloadCoder<Query.Payload>
    private let eventTypes: Set<String>
    private var exchange: MessageExchange<Query>?
    private var reader: Reader?
    private var lastID: String?
    private(set) var version: CacheVersion?
    private var retry = Duration.seconds(1)
    /// The number of attempts, beginning with the last one that brought an event.
    private var attempts = 0
    private var hasFailed = false
    private var hasEnded = false

    init(_ query: Query, _ eventTypes: Set<String>, _ server: HTTPServer) {
        self.query = query
        self.eventTypes = eventTypes
        self.server = server
        payloads = PayloadCoder(of: Query.self, server.settings)
    }

    mutating func next() async -> QueryUpdate<Query.Value>? {
        while !hasEnded, !Task.isCancelled {
            switch reader == nil ? await connect() : await read() {
            case .update(let update): return update
            case .nothing: break
            case .end: hasEnded = true
            }
        }
        return nil
    }

    private mutating func connect() async -> Step {
        if attempts > 0 {
            let backoff = RetryPolicy(backoff: .exponential(initial: retry, maximum: EventParser.delays.upperBound))
            let delay = max(
                backoff.delay(afterAttempt: attempts, random: Double.random(in: 0..<1)),
                EventParser.delays.lowerBound
            )
            guard (try? await server.clock.sleep(for: delay)) != nil else { return .end }
        }
        attempts += 1
        do {
            let exchange =
                try self.exchange ?? MessageExchange(server, accept: ServerSentEvent.mediaType, isQuery: true)
            self.exchange = exchange
            let (response, body) = try await exchange.open(query, lastEventID: lastID)
            guard response.head.status != .noContent,
                MediaType(response.head.headerFields[.contentType])?.essence == ServerSentEvent.mediaType
            else { return .end }
            reader = Reader(
                body: body.makeAsyncIterator(),
                parser: EventParser(limit: 16 * 1024 * 1024, lastID: lastID, eventTypes: eventTypes),
                response: response
            )
            guard hasFailed else { return .nothing }
            hasFailed = false
            return lastID == nil ? .nothing : .update(.unchanged)
        } catch {
            return failed(error)
        }
    }

    private mutating func read() async -> Step {
        guard var reader = reader.take() else { return .nothing }
        do {
            if reader.events.isEmpty {
                lastID = reader.parser.lastID
                // The server ends a stream from time to time, so that the client is authorized again.
                guard let piece = try await reader.body.next() else { return .nothing }
                reader.events = try reader.parser.read(piece)[...]
                // A comment or a part of an event is no reason to connect again soon.
                if !reader.events.isEmpty { attempts = 1 }
                if let delay = reader.parser.retry { retry = delay }
            }
        } catch {
            return failed(error)
        }
        self.reader = reader
        guard let event = self.reader?.events.popFirst() else { return .nothing }
        return .update(value(of: event, reader.response))
    }

    private mutating func value(of event: ServerSentEvent, _ response: MessageResponse) -> QueryUpdate<Query.Value> {
        lastID = event.id
        version = event.version?.bound(to: server.baseURL.origin)
        guard let data = event.data else { return .confirmed }
        do {
            return .value(try Query.value(from: payloads.payload(of: response.head, data), answering: query))
        } catch {
            return .failure(error)
        }
    }

    private mutating func failed(_ error: any Error) -> Step {
        if error is CancellationError { return .end }
        hasFailed = true
        hasEnded = !error.isTemporary
        return .update(.failure(error))
    }
}

extension Error {
    /// Whether a later attempt may succeed.
    fileprivate var isTemporary: Bool {
        switch self {
        case let error as TokenUnavailable: error.underlying.isTemporary
        case let error as any TemporaryError: error.isTemporary
        case is any DeclaredError, is EventParser.EventTooLarge, is HTTPMessageError, is InvalidMessageAPI: false
        default: true
        }
    }
}
