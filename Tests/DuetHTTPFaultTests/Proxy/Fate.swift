import DuetTesting
import Synchronization

/// What a proxy does with a request.
enum Fate: CaseIterable, Hashable {
    /// Passes it on, and the answer back.
    case passes
    /// Closes the connection before anything is read.
    case refuses
    /// Reads it and closes, so that the server never sees it.
    case closesBefore
    /// Has it answered and closes, so that the client never knows.
    case closesAfter
    /// Has it answered and closes in the middle of the content.
    case cuts
    /// Answers 503 in the server's place.
    case declines
}

/// The fates of requests, as a seed determines: three of ten fail, each way equally often.
final class Fates: Sendable {
    private struct State {
        var random: SeededGenerator
        var counts: [Fate: Int] = [:]
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// How often each was drawn.
    var counts: [Fate: Int] { state.withLock(\.counts) }

    func next() -> Fate {
        state.withLock { state in
            let faults: [Fate] = [.refuses, .closesBefore, .closesAfter, .cuts, .declines]
            let number = Int.random(in: 0..<50, using: &state.random)
            let fate = number < 15 ? faults[number / 3] : .passes
            state.counts[fate, default: 0] += 1
            return fate
        }
    }
}
