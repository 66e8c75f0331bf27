import Dispatch
import Duet
import Synchronization

// What `Benchmarks/dispatch.sh` runs:
//   DispatchBenchmark times                    prints nanoseconds a call, one subject a line
//   DispatchBenchmark run SUBJECT KIND COUNT   calls one subject so often, to be counted by Valgrind

/// Nanoseconds a call, for each subject and kind: the median of rounds in which each has its turn.
///
/// The subjects take turns within a round, so that whatever else the machine does falls on all of them alike.
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
        // What only the first calls cost, such as looking up conformances, is not part of a call.
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

// A synchronous main: Valgrind 3.19 does not survive an asynchronous one.
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
