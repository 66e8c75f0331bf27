import Duet
import DuetClusterEngine
import Foundation

/// Receives the outcomes of the commands that wait for theirs, on a route that only this sender serves.
final class Replies: Sendable {
    /// The expected outcome of one command.
    final class Reply: Sendable {
        /// The outcome; the names of what was written, and the position of the event that has told of it, if known.
        typealias End = (outcome: MessageOutcome, writes: String?, events: UInt64?)

        let route: String
        let number: Int
        private let result = Monitor<Result<End, any Error>?>(nil)

        init(route: String, number: Int) {
            self.route = route
            self.number = number
        }

        /// - Throws: The error with which the reply was finished; `CancellationError`.
        func end() async throws -> End { try await result.wait { $0 }.get() }

        /// Ends the wait, unless it has ended already.
        func finish(_ result: Result<End, any Error>) {
            self.result.update { current in
                if current == nil { current = result }
            }
        }
    }

    private struct State {
        var waiting: [Int: Reply] = [:]
        var last = 0
        var registration: (any Registration)?
    }

    private static let routePrefix = "reply."

    private let engine: any ClusterEngine
    private let route = Replies.routePrefix + UUID().uuidString
    private let state = Monitor(State())
    private let access = Monitor(false)

    init(_ engine: any ClusterEngine) {
        self.engine = engine
    }

    deinit {
        guard let registration = state.read(\.registration) else { return }
        Task { await registration.stop() }
    }

    /// Whether a route is that of a sender's outcomes, to which a node sends what a command names.
    static func isRoute(_ route: String) -> Bool {
        route.utf8.count <= ClusterCoding.longestName && route.utf8.starts(with: routePrefix.utf8)
    }

    func expect() async throws -> Reply {
        try await serve()
        return state.update { state in
            state.last += 1
            let reply = Reply(route: route, number: state.last)
            state.waiting[reply.number] = reply
            return reply
        }
    }

    func forget(_ reply: Reply) { state.update { $0.waiting[reply.number] = nil } }

    private func serve() async throws {
        guard state.read(\.registration) == nil else { return }
        try await access.exclusively {
            guard state.read(\.registration) == nil else { return }
            let registration = try await engine.queries.serve(route, limit: 1_024) { [weak self] envelope in
                if let number = envelope.headers[Header.replyKey].flatMap(Int.init),
                    let reply = self?.state.read({ $0.waiting[number] })
                {
                    let writes = envelope.headers[Header.writes]
                    reply.finish(.success((MessageOutcome(of: envelope), writes, envelope.events)))
                }
                return Envelope()
            }
            state.update { $0.registration = registration }
        }
    }
}
