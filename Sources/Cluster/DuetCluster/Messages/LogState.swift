import Duet
import DuetClusterEngine

/// The state of a log, about which one question of a kind is under way at a time.
final class LogState: Sendable {
    private enum Question: Hashable {
        case epoch
        case handled(partition: Int)
        case last(partition: Int)
    }

    /// The requests of one question, which are numbered.
    private struct Requests {
        var last = 0
        var begun = 0
        var finished = 0
        var answer: Result<UInt64, any Error>?
    }

    private let engine: any ClusterEngine
    private let state = Monitor<[Question: Requests]>([:])

    init(_ engine: any ClusterEngine) {
        self.engine = engine
    }

    /// The number of the log.
    ///
    /// - Throws: ``TransportError``.
    func epoch() async throws -> UInt64 { try await ask(.epoch) { try await $0.epoch() } }

    /// The number of the log, which may be from any time before.
    ///
    /// - Throws: ``TransportError``.
    func knownEpoch() async throws -> UInt64 {
        if case .success(let epoch)? = state.read({ $0[.epoch]?.answer }) { return epoch }
        return try await epoch()
    }

    /// The sequence up to which the commands of a partition are handled.
    ///
    /// - Throws: ``TransportError``.
    func handled(in partition: Int) async throws -> UInt64 {
        try await ask(.handled(partition: partition)) { try await $0.handledPosition(in: partition).sequence }
    }

    /// The sequence of the last command of a partition.
    ///
    /// - Throws: ``TransportError``.
    func last(in partition: Int) async throws -> UInt64 {
        try await ask(.last(partition: partition)) { try await $0.lastPosition(in: partition).sequence }
    }

    /// Asks after the question before has its answer, together with all who ask meanwhile.
    ///
    /// An answer that is on its way may be older than what the caller has heard of.
    private func ask(
        _ question: Question,
        _ operation: @escaping @Sendable (any CommandLog) async throws -> UInt64
    ) async throws -> UInt64 {
        let (number, isFirst) = state.update { state in
            var requests = state[question] ?? Requests()
            let isRunning = requests.last > requests.finished
            if requests.last == requests.begun { requests.last += 1 }
            state[question] = requests
            return (requests.last, !isRunning)
        }
        if isFirst { Task { await run(question, operation) } }
        let answer = try await state.wait { state in
            state[question].flatMap { $0.finished >= number ? $0.answer : nil }
        }
        return try answer.get()
    }

    private func run(_ question: Question, _ operation: (any CommandLog) async throws -> UInt64) async {
        while let number = state.update({ state -> Int? in
            guard let requests = state[question], requests.last > requests.finished else { return nil }
            state[question]?.begun = requests.last
            return requests.last
        }) {
            let answer: Result<UInt64, any Error>
            do {
                answer = .success(try await operation(engine.commands))
            } catch {
                answer = .failure(error)
            }
            state.update { state in
                state[question]?.finished = number
                state[question]?.answer = answer
            }
        }
    }
}
