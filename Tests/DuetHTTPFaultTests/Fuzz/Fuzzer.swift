import DuetTesting
import Foundation

/// Has changed copies of a corpus read, as the seed determines.
///
/// Each input lies in a file while it is read, so that one which ends the process is found there afterwards.
struct Fuzzer {
    /// How long a fuzzer goes on.
    enum Length {
        case inputs(Int)
        case time(Duration)
    }

    /// What was found.
    struct Report {
        var inputs = 0
        /// What is wrong, with the input in base64.
        var faults: [String] = []
        var slowest = Duration.zero
        /// How much more memory was in use at the end than after the first tenth of the time, in bytes.
        var growth = 0
    }

    /// The longest time that one input may take, on a machine that has other things to do.
    static let budget = Duration.seconds(2)

    /// The largest input, in bytes: that of the largest JSON body that a server takes.
    static let largest = 65_536

    let name: String
    let corpus: [[UInt8]]
    /// Words that mean something to who reads the inputs.
    let tokens: [String]
    let seed: UInt64
    let length: Length

    /// Says what is wrong with how an input was read, or nil.
    let read: @Sendable @concurrent (_ input: [UInt8]) async -> String?

    func run() async throws -> Report {
        var random = SeededGenerator(seed: seed)
        var report = Report()
        let file = try LastInput(named: name)
        let clock = ContinuousClock()
        let start = clock.now
        var memory: Int?
        // The corpus as it is comes first: what was found once stays mended.
        for number in 0... {
            if number >= corpus.count, isOver(report.inputs, start.duration(to: clock.now)) { break }
            let input = number < corpus.count ? corpus[number] : mutate(&random)
            try file.write(input)
            let began = clock.now
            let fault = await read(input)
            let duration = began.duration(to: clock.now)
            report.inputs += 1
            report.slowest = max(report.slowest, duration)
            if let fault { report.faults.append("\(fault): \(Data(input).base64EncodedString())") }
            if duration > Self.budget {
                report.faults.append("It took \(duration): \(Data(input).base64EncodedString())")
            }
            if report.faults.count >= 5 { break }
            if memory == nil, isWarm(report.inputs, start.duration(to: clock.now)) { memory = residentMemory() }
        }
        report.growth = residentMemory() - (memory ?? residentMemory())
        // Whoever comes to this line has nothing to look up there.
        file.remove()
        return report
    }

    private func isOver(_ inputs: Int, _ elapsed: Duration) -> Bool {
        switch length {
        case .inputs(let count): inputs >= count
        case .time(let duration): elapsed >= duration
        }
    }

    private func isWarm(_ inputs: Int, _ elapsed: Duration) -> Bool {
        switch length {
        case .inputs(let count): inputs >= count / 10
        case .time(let duration): elapsed >= duration / 10
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

/// The memory of this process that is in use, in bytes; 0 where that cannot be told.
private func residentMemory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
}
