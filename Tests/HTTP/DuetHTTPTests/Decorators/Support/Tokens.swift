import DuetHTTP
import HTTPTypes
import Synchronization

/// The tokens t1, t2, … one after the other.
final class Tokens: TokenSource {
    typealias Refresh = @Sendable @concurrent (_ rejected: String?) async throws -> String?

    private struct State {
        var current: String? = "t1"
        var refreshes: [String?] = []
        var refresh: Refresh?
    }

    private let state = Mutex(State())

    var refreshes: [String?] { state.withLock { $0.refreshes } }

    func set(_ token: String?) { state.withLock { $0.current = token } }

    func refreshing(_ refresh: @escaping Refresh) { state.withLock { $0.refresh = refresh } }

    func current() async throws -> String? { state.withLock { $0.current } }

    func refresh(replacing rejected: String?) async throws -> String? {
        let refresh = state.withLock { state in
            state.refreshes.append(rejected)
            return state.refresh
        }
        let number = state.withLock { $0.refreshes.count + 1 }
        let token = if let refresh { try await refresh(rejected) } else { "t\(number)" as String? }
        set(token)
        return token
    }
}

extension StubClient {
    /// Accepts this token, and refuses all others with 401.
    static func taking(_ token: String) -> StubClient {
        StubClient { answer($0.request.headerFields[.authorization] == "Bearer \(token)" ? 200 : 401) }
    }

    /// The credentials of each request.
    var bearers: [String?] { sent.map { $0.request.headerFields[.authorization] } }
}
