import DuetTesting
import Synchronization

/// The action of a proxy on a request.
enum Fate: CaseIterable, Hashable {
    /// Forwards the request and its response.
    case passes
    /// Closes the connection before reading.
    case refuses
    /// Reads the request and closes, so that the server never receives it.
    case closesBefore
    /// Forwards the request and closes, so that the client gets no response.
    case closesAfter
    /// Forwards the request and closes in the middle of the response's content.
    case cuts
    /// Responds with 503 in place of the server.
    case declines
}

/// The fates of requests, determined by a seed: three of ten fail, each way equally often.
final class Fates: Sendable {
    private struct State {
        var random: SeededGenerator
        var counts: [Fate: Int] = [:]
    }

    private let faults: [Fate]
    private let state: Mutex<State>

    init(seed: UInt64, faults: [Fate] = Fate.allCases.filter { $0 != .passes }) {
        self.faults = faults
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// How often each fate was drawn.
    var counts: [Fate: Int] { state.withLock(\.counts) }

    func next() -> Fate {
        state.withLock { state in
            let number = Int.random(in: 0..<50, using: &state.random)
            let fate = number < 15 ? faults[number * faults.count / 15] : .passes
            state.counts[fate, default: 0] += 1
            return fate
        }
    }
}
