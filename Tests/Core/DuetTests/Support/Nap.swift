import Duet

/// A query that takes the given time.
struct Nap: Query {
    typealias Value = String
    let duration: Duration
    var whenWoken = Waking.fails

    /// The handler's response to a cancellation of its sleep.
    enum Waking {
        case fails
        case failsInItsOwnWay
        case finishesAllTheSame
    }
}

struct NapHandler: QueryHandler {
    let clock: any Clock<Duration>
    let journal = Journal()

    func handle(_ query: Nap) async throws -> String {
        do {
            try await clock.sleep(for: query.duration)
            return "rested"
        } catch {
            journal.write("canceled")
            switch query.whenWoken {
            case .fails: throw error
            case .failsInItsOwnWay: throw Refusal(reason: "woken")
            case .finishesAllTheSame: return "tired"
            }
        }
    }
}
