import DuetTesting
package import Foundation

/// Reads mutated copies of a corpus, determined by a seed.
///
/// A run is short, unless `DUET_FUZZ_SECONDS` sets the total time of all targets; `DUET_FUZZ_SEED` repeats a run. An
/// input that is read wrongly or ends the process is kept in `.build/fuzz`. With `DUET_FUZZ_ALONE`, when nothing else
/// runs on the machine, an input that is read slowly is a fault too.
package struct Fuzzer {
    /// The total time of a suite's targets, in seconds; nil for a short run.
    package static let seconds = ProcessInfo.processInfo.environment["DUET_FUZZ_SECONDS"].flatMap(Int.init)

    /// The seed of a run.
    package static let seed =
        ProcessInfo.processInfo.environment["DUET_FUZZ_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    /// Whether nothing else runs, so that times and the memory of the process are those of the readers.
    package static let isAlone = ProcessInfo.processInfo.environment["DUET_FUZZ_ALONE"] != nil

    /// How long a fuzzer runs.
    package enum Length: Sendable {
        case inputs(Int)
        case time(Duration)

        /// A target's part of a suite's time, or a number of inputs.
        package static func part(of targets: Int, inputs: Int) -> Length {
            Fuzzer.seconds.map { .time(.seconds($0) / targets) } ?? .inputs(inputs)
        }
    }

    /// The result of a run.
    package struct Report: Sendable {
        package var inputs = 0
        /// How many inputs reached the fuzzed component.
        package var arrived = 0
        /// The faults in a few words, with the files of their inputs.
        package var faults: [String] = []
        package var slowest = Duration.zero
        /// The growth of the used memory during the second half, in bytes.
        package var growth = 0
    }

    /// The largest input in bytes, which is the largest JSON body that a server accepts.
    package static let largest = 65_536

    private let name: String
    private let corpus: [[UInt8]]
    private let tokens: [String]
    private let seed: UInt64
    private let length: Length
    private let folder: URL
    private let budget: Duration?
    private let read: @concurrent (_ input: [UInt8]) async -> FuzzVerdict

    /// Creates a fuzzer.
    ///
    /// - Parameters:
    ///   - tokens: Words with a meaning for the reader of the inputs.
    ///   - budget: The longest time that the quickest of three readings of an input may take; nil for no limit.
    ///   - read: Returns how an input was read.
    package init(
        name: String,
        corpus: [[UInt8]],
        tokens: [String],
        seed: UInt64 = Fuzzer.seed,
        length: Length,
        folder: URL = InputFolder.standard,
        budget: Duration? = isAlone ? .seconds(2) : nil,
        read: @escaping @concurrent (_ input: [UInt8]) async -> FuzzVerdict
    ) {
        self.name = name
        self.corpus = corpus
        self.tokens = tokens
        self.seed = seed
        self.length = length
        self.folder = folder
        self.budget = budget
        self.read = read
    }

    package func run() async throws -> Report {
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
            // A reader that never waits would keep a thread from all others for the whole run.
            await Task.yield()
            var verdict = FuzzVerdict.elsewhere
            var duration = Duration.zero
            // A slow input is slow each time; a machine that is busy with other tests is not.
            for _ in 0..<3 {
                let began = clock.now
                verdict = await read(input)
                duration = began.duration(to: clock.now)
                if case .fault = verdict { break }
                guard let budget, duration > budget else { break }
            }
            report.inputs += 1
            report.slowest = max(report.slowest, duration)
            if verdict != .elsewhere { report.arrived += 1 }
            var faults = budget.map { duration > $0 } == true ? ["It took \(duration)"] : []
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
