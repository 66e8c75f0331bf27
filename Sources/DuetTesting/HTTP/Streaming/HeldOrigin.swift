#if HTTP

    package import DuetHTTP
    package import Foundation
    package import HTTPTypes
    import Synchronization

    /// Answers with the first piece of a body at once, and with the rest when a test opens the gate.
    ///
    /// It counts its bodies that somebody holds, as a server would its connections.
    package final class HeldOrigin: HTTPClient {
        /// What a body begins with, and what follows.
        package static let (first, rest) = (Data("first, ".utf8), Data("then the rest".utf8))

        private struct State {
            var sent: [HTTPRequest] = []
            var pieces: [Data?] = []
            var heldBefore: [Int] = []
        }

        /// A connection that broke before the rest.
        package struct Broken: Error {}

        /// What the rest waits for.
        package let gate = Gate()

        private let statuses: [Int]
        private let fields: HTTPFields
        private let breaks: Bool
        private let state = Mutex(State())
        private let bodies = HeldBodies()

        /// Answers with these statuses, one after the other, and with the last of them from then on.
        ///
        /// - Parameter breaks: Whether the connection breaks where the rest would come.
        package init(statuses: Int..., fields: HTTPFields = [:], breaks: Bool = false) {
            self.statuses = statuses.isEmpty ? [200] : statuses
            self.fields = fields
            self.breaks = breaks
        }

        /// What was sent, in order.
        package var sent: [HTTPRequest] { state.withLock { $0.sent } }

        /// The first piece of each request's body.
        package var pieces: [Data?] { state.withLock { $0.pieces } }

        /// How many bodies somebody held when each request came.
        package var heldBefore: [Int] { state.withLock { $0.heldBefore } }

        /// How many bodies somebody holds.
        package var held: Int { bodies.count }

        /// Waits until nobody holds a body.
        ///
        /// - Throws: `CancellationError` when the task is cancelled.
        package func isLetGo() async throws {
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
            // The first piece of the request's body is enough to answer.
            var reader = body?.makeAsyncIterator()
            let piece = try await reader?.next()
            state.withLock { $0.pieces.append(piece) }
            let response = HTTPResponse(status: .init(code: status), headerFields: fields)
            let error = breaks ? HTTPClientError.connectionFailed(url: request.loggableURL, underlying: Broken()) : nil
            let received = HTTPBody(HeldPieces(gate: gate, error: error, held: bodies))
            guard HTTPRequestOptions.current.collectsBody else { return (response, received) }
            return (response, HTTPBody(try await received.collected(answering: request)))
        }
    }

#endif
