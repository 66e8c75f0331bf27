import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// A place in a load, which is left when nobody holds it any more.
final class LoadParticipant: Sendable {
    private let load: Load
    private let id: Int

    init(load: Load, id: Int) {
        self.load = load
        self.id = id
    }

    deinit {
        load.leave(id)
    }

    func outcome() async throws -> LoadOutcome {
        try await load.outcome(for: id)
    }

    func next() async throws -> Data? {
        try await load.next(for: id)
    }

    /// The bytes from one on, when what is held begins later.
    func rest(from start: Int64) async throws -> HTTPBody {
        try await load.rest(from: start, for: id)
    }

    /// Lets nobody join the load any more.
    func closeLoad() {
        load.close()
    }

    /// Whether the beginning of the body has gone already.
    var isBehind: Bool { load.isBehind(id) }

    var request: HTTPRequest { load.request }

    /// Reads the fields after the body, without holding the place.
    var trailers: @Sendable () -> HTTPFields {
        { [load] in load.trailers }
    }
}

/// The body of a load as one of those who take part reads it.
///
/// The place is handed to the one who reads: who stops reading leaves, though the answer is still held. Another reader is told
/// that there is nothing left, which would otherwise look like a body of no bytes.
struct LoadPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        private let participant: LoadParticipant?
        private let request: HTTPRequest
        private var count: Int64 = 0
        /// From the store, for who is left behind.
        private var rest: HTTPBody.AsyncIterator?

        init(participant: LoadParticipant?, request: HTTPRequest) {
            self.participant = participant
            self.request = request
        }

        mutating func next() async throws -> Data? {
            if rest != nil { return try await rest?.next() }
            guard let participant else { throw HTTPCacheError.bodyReadBefore(url: request.loggableURL) }
            do {
                let piece = try await participant.next()
                count += Int64(piece?.count ?? 0)
                return piece
            } catch is LeftBehind {
                rest = try await participant.rest(from: count).makeAsyncIterator()
                return try await rest?.next()
            }
        }
    }

    private final class Place: Sendable {
        let participant: Mutex<LoadParticipant?>

        init(_ participant: LoadParticipant) {
            self.participant = Mutex(participant)
        }
    }

    private let place: Place
    private let request: HTTPRequest

    init(_ participant: LoadParticipant) {
        request = participant.request
        place = Place(participant)
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(participant: place.participant.withLock { $0.take() }, request: request)
    }
}
