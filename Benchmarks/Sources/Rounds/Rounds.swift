/// Rounds in which the subjects take turns, so that other load on the machine affects all of them equally.
public struct Rounds: Sendable {
    private let samples: [String: [Double]]

    /// Runs the rounds; the first one warms up and is not counted.
    public init(_ count: Int, _ subjects: [Measured]) async throws {
        let clock = ContinuousClock()
        var samples: [String: [Double]] = [:]
        for round in 0...count {
            for subject in subjects {
                let start = clock.now
                try await subject.body()
                let elapsed = start.duration(to: clock.now) / .milliseconds(1)
                if round > 0 { samples[subject.name, default: []].append(elapsed) }
            }
        }
        self.samples = samples
    }

    /// The median of a subject's rounds, in milliseconds.
    public subscript(name: String) -> Double {
        let sorted = (samples[name] ?? []).sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
