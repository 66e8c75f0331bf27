import Dispatch
import Duet
import Synchronization

// The program of `Benchmarks/dispatch.sh`:
//   DispatchBenchmark times                    prints nanoseconds per call, one subject per line
//   DispatchBenchmark run SUBJECT KIND COUNT   calls one subject COUNT times, for Valgrind to count

/// Nanoseconds per call for each subject and kind: medians of rounds.
///
/// The subjects take turns within a round, so that other load on the machine affects all of them equally.
func times(rounds: Int, calls: Int) async throws -> [(Kind, Subject, Double)] {
    let bench = try await Bench()
    let clock = ContinuousClock()
    var samples: [Kind: [Subject: [Double]]] = [:]
    for round in 0...rounds {
        for kind in Kind.allCases {
            for subject in Subject.all {
                let start = clock.now
                let result = try await bench.run(subject, kind, times: calls)
                let elapsed = start.duration(to: clock.now)
                try bench.check(result, of: kind, times: calls)
                // The first round warms up.
                if round > 0 { samples[kind, default: [:]][subject, default: []].append(elapsed / .nanoseconds(calls)) }
            }
        }
    }
    return Kind.allCases.flatMap { kind in
        Subject.all.map { subject in
            let sorted = (samples[kind]?[subject] ?? []).sorted()
            return (kind, subject, sorted[sorted.count / 2])
        }
    }
}

func main(_ arguments: [String]) async throws {
    if arguments.count == 4, arguments[0] == "run",
        let subject = Subject.all.first(where: { $0.name == arguments[1] }),
        let kind = Kind(rawValue: arguments[2]), let count = Int(arguments[3])
    {
        let bench = try await Bench()
        // Costs of the first calls, such as conformance lookups, are not counted.
        _ = try await bench.run(subject, kind, times: 1_000)
        try bench.check(await bench.run(subject, kind, times: count), of: kind, times: count)
    } else if arguments == ["times"] {
        for (kind, subject, nanoseconds) in try await times(rounds: 51, calls: 20_000) {
            print(kind.rawValue, subject.name, nanoseconds)
        }
    } else {
        print("usage: DispatchBenchmark times | run SUBJECT KIND COUNT")
        print("subjects: \(Subject.all.map(\.name).joined(separator: " "))")
        print("kinds: \(Kind.allCases.map(\.rawValue).joined(separator: " "))")
    }
}

// A synchronous main, because an asynchronous one crashes Valgrind 3.19.
let done = DispatchSemaphore(value: 0)
let failure = Mutex<(any Error)?>(nil)
Task.detached {
    do {
        try await main(Array(CommandLine.arguments.dropFirst()))
    } catch {
        failure.withLock { $0 = error }
    }
    done.signal()
}
done.wait()
if let error = failure.withLock({ $0 }) { throw error }
