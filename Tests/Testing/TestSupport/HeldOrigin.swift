#if HTTP

    package import DuetHTTP
    package import DuetTesting
    package import Foundation
    package import HTTPTypes
    import Synchronization

    /// An origin that sends the first piece of a body at once, and the rest when a test opens the gate.
    ///
    /// It counts the bodies that are still held, as a server counts its connections.
    package final class HeldOrigin: HTTPClient {
        /// The first piece of a body, and the rest.
        package static let (first, rest) = (Data("first, ".utf8), Data("then the rest".utf8))

        private struct State {
            var sent: [HTTPRequest] = []
            var pieces: [Data?] = []
            var heldBefore: [Int] = []
        }

        /// The connection broke before the rest of the body.
        package struct Broken: Error {}

        /// The gate that the rest of a body waits for.
        package let gate = Gate()

        private let statuses: [Int]
        private let fields: HTTPFields
        private let breaks: Bool
        private let state = Mutex(State())
        private let bodies = HeldBodies()

        /// Creates an origin that responds with these statuses in order, and with the last one from then on.
        ///
        /// - Parameter breaks: Whether the connection breaks before the rest of the body.
        package init(statuses: Int..., fields: HTTPFields = [:], breaks: Bool = false) {
            self.statuses = statuses.isEmpty ? [200] : statuses
            self.fields = fields
            self.breaks = breaks
        }

        /// The received requests, in order.
        package var sent: [HTTPRequest] { state.withLock { $0.sent } }

        /// The first piece of each request's body.
        package var pieces: [Data?] { state.withLock { $0.pieces } }

        /// The number of held bodies at the arrival of each request.
        package var heldBefore: [Int] { state.withLock { $0.heldBefore } }

        /// The number of held bodies.
        package var held: Int { bodies.count }

        /// Waits until no body is held.
        ///
        /// - Throws: `CancellationError` if the task is canceled.
        package func waitForRelease() async throws {
            while held > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }

        package func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let number = state.withLock { state in
                state.sent.append(request)
                state.heldBefore.append(bodies.count)
                return state.sent.count
            }
            let status = statuses[min(number, statuses.count) - 1]
            // The origin responds after the first piece of the request's body.
            var reader = body?.makeAsyncIterator()
            let piece = try await reader?.next()
            state.withLock { $0.pieces.append(piece) }
            let response = HTTPResponse(status: .init(code: status), headerFields: fields)
            let error = breaks ? HTTPClientError.connectionFailed(url: request.loggableURL, underlying: Broken()) : nil
            let received = HTTPBody(HeldPieces(gate: gate, error: error, held: bodies))
            guard HTTPRequestOptions.current.collectsBody else { return (response, received) }
            return (response, HTTPBody(try await received.collected(for: request)))
        }
    }

    /// A body of two pieces, the second of which waits at a gate.
    ///
    /// It is held until its reader is released, or until it is dropped unread.
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

        /// Counts as one held body for its lifetime.
        final class Holder: Sendable {
            private let bodies: HeldBodies

            init(_ bodies: HeldBodies) {
                self.bodies = bodies
                bodies.add(1)
            }

            deinit { bodies.add(-1) }
        }

        /// Transfers the holder to the one reader.
        private final class HolderBox: Sendable {
            let holder: Mutex<Holder?>

            init(_ holder: Holder) { self.holder = Mutex(holder) }
        }

        private let gate: Gate
        private let error: HTTPClientError?
        private let holderBox: HolderBox

        init(gate: Gate, error: HTTPClientError?, held bodies: HeldBodies) {
            self.gate = gate
            self.error = error
            holderBox = HolderBox(Holder(bodies))
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(pieces: self, holder: holderBox.holder.withLock { $0.take() })
        }
    }

    /// The number of held bodies.
    final class HeldBodies: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func add(_ difference: Int) { number.withLock { $0 += difference } }
    }

#endif
