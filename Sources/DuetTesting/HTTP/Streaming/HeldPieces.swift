#if HTTP

    import DuetHTTP
    import Foundation
    import Synchronization

    /// A body of two pieces, the second of which waits at a gate; it is held until its reader goes, or it is dropped unread.
    struct HeldPieces: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            let pieces: HeldPieces
            let holder: Holder?
            var number = 0

            mutating func next() async throws -> Data? {
                number += 1
                switch number {
                case 1: return HeldOrigin.first
                case 2:
                    try await pieces.gate.pass()
                    if let error = pieces.error { throw error }
                    return HeldOrigin.rest
                default: return nil
                }
            }
        }

        /// Counts as a body that is held, for as long as it is there.
        final class Holder: Sendable {
            private let bodies: HeldBodies

            init(_ bodies: HeldBodies) {
                self.bodies = bodies
                bodies.add(1)
            }

            deinit { bodies.add(-1) }
        }

        private final class Place: Sendable {
            let holder: Mutex<Holder?>

            init(_ holder: Holder) { self.holder = Mutex(holder) }
        }

        private let gate: Gate
        private let error: HTTPClientError?
        private let place: Place

        init(gate: Gate, error: HTTPClientError?, held bodies: HeldBodies) {
            self.gate = gate
            self.error = error
            place = Place(Holder(bodies))
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(pieces: self, holder: place.holder.withLock { $0.take() })
        }
    }

    /// How many bodies somebody holds.
    final class HeldBodies: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func add(_ difference: Int) { number.withLock { $0 += difference } }
    }

#endif
