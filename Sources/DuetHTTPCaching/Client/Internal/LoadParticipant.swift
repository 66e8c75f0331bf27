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

    /// Reads the fields after the body, without holding the place.
    var trailers: @Sendable () -> HTTPFields {
        { [load] in load.trailers }
    }
}

/// The body of a load as one of those who take part reads it.
///
/// The place is handed to the one who reads: who stops reading leaves, though the answer is still held.
struct LoadPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let participant: LoadParticipant?

        mutating func next() async throws -> Data? {
            try await participant?.next()
        }
    }

    private final class Place: Sendable {
        let participant: Mutex<LoadParticipant?>

        init(_ participant: LoadParticipant) {
            self.participant = Mutex(participant)
        }
    }

    private let place: Place

    init(_ participant: LoadParticipant) {
        place = Place(participant)
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(participant: place.participant.withLock { $0.take() })
    }
}
