import DuetTesting
import Foundation

/// Reads mutated copies of a corpus, determined by a seed.
struct Fuzzer {
    /// How long a fuzzer runs.
    enum Length {
        case inputs(Int)
        case time(Duration)
    }

    /// The result of a run.
    struct Report {
        var inputs = 0
        /// How many inputs reached the fuzzed component.
        var arrived = 0
        /// The faults in a few words, with the files of their inputs.
        var faults: [String] = []
        var slowest = Duration.zero
        /// The growth of the used memory during the second half, in bytes.
        var growth = 0
    }

    /// The longest time that one input may take, on a busy machine.
    static let budget = Duration.seconds(2)

    /// The largest input in bytes, which is the largest JSON body that a server accepts.
    static let largest = 65_536

    let name: String
    let corpus: [[UInt8]]
    /// Words with a meaning for the reader of the inputs.
    let tokens: [String]
    let seed: UInt64
    let length: Length
    var folder = InputFolder.standard

    /// Returns how an input was read.
    let read: @Sendable @concurrent (_ input: [UInt8]) async -> FuzzVerdict

    func run() async throws -> Report {
        var random = SeededGenerator(seed: seed)
        var report = Report()
        let folder = try InputFolder(folder, prefix: "\(name)-\(seed)")
        let clock = ContinuousClock()
        let start = clock.now
        var memory: Int?
        // The unchanged corpus comes first, so that fixed faults stay fixed.
        for number in 0... {
            if number >= corpus.count, progress(report.inputs, start.duration(to: clock.now)) >= 1 { break }
            let input = number < corpus.count ? corpus[number] : mutate(&random)
            try folder.hold(input)
            let began = clock.now
            let verdict = await read(input)
            let duration = began.duration(to: clock.now)
            report.inputs += 1
            report.slowest = max(report.slowest, duration)
            if verdict != .elsewhere { report.arrived += 1 }
            var faults = duration > Self.budget ? ["It took \(duration)"] : []
            if case .fault(let fault) = verdict { faults.append(fault) }
            for fault in faults {
                // A fault may be as long as the input, or longer.
                report.faults.append("\(fault.prefix(200)) [\(try folder.keep(input, number: number).path)]")
            }
            if report.faults.count >= 5 { break }
            if memory == nil, progress(report.inputs, start.duration(to: clock.now)) >= 0.5 {
                memory = residentMemory()
            }
        }
        report.growth = residentMemory() - (memory ?? residentMemory())
        folder.close()
        return report
    }

    /// The progress from 0 to 1.
    private func progress(_ inputs: Int, _ elapsed: Duration) -> Double {
        switch length {
        case .inputs(let count): Double(inputs) / Double(count)
        case .time(let duration): elapsed / duration
        }
    }

    private func mutate(_ random: inout SeededGenerator) -> [UInt8] {
        guard var input = corpus.randomElement(using: &random) else { return [] }
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let other = corpus.randomElement(using: &random) ?? []
            Mutation.allCases.randomElement(using: &random)?.apply(to: &input, tokens, other, &random)
            if input.count > Self.largest { input.removeSubrange(Self.largest...) }
        }
        return input
    }
}

/// The memory of this process in use, in bytes; 0 if it is not known.
private func residentMemory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
}
