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
        let participant: LoadParticipant?
        let request: HTTPRequest

        mutating func next() async throws -> Data? {
            if let participant { return try await participant.next() }
            throw HTTPClientError.connectionFailed(
                url: request.loggableURL,
                reason: "its body was read before, and can be read once",
                underlying: BodyReadBefore()
            )
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

struct BodyReadBefore: Error {}
