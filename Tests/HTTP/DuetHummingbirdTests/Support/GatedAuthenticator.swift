import Duet
import DuetContext
import DuetTesting

/// Does not authenticate any token until the test ends.
struct GatedAuthenticator: TokenAuthenticator {
    private let gate = Gate()
    private let event: AsyncStream<String>.Continuation
    /// The events: a request for a principal, and its cancellation.
    let events: AsyncStream<String>

    init() {
        (events, event) = AsyncStream.makeStream(of: String.self)
    }

    func principal(bearing token: String) async throws -> Principal? {
        event.yield("waiting")
        do {
            try await gate.pass()
        } catch {
            event.yield("canceled")
            throw error
        }
        return nil
    }
}
