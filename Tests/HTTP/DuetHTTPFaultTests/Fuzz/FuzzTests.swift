import Foundation
import FuzzTesting
import Testing

/// Mutated copies of a corpus never end the process, hang, or leak memory.
///
/// Move the input of a fault from `.build/fuzz` into the corpus.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct FuzzTests {
    private let seed = Fuzzer.seed

    @Test(arguments: FuzzTarget.allCases)
    func `no input ends the process`(target: FuzzTarget) async throws {
        let report = try await target.fuzz(seed: seed, length: .part(of: FuzzTarget.allCases.count, inputs: 400))
        #expect(report.faults == [], "DUET_FUZZ_SEED=\(seed)")
        #expect(
            report.arrived > report.inputs / 4,
            "Only \(report.arrived) of \(report.inputs) led to it, seed \(seed)"
        )
        guard Fuzzer.seconds != nil else { return }
        print(
            """
            \(target.rawValue), DUET_FUZZ_SEED=\(seed): \(report.inputs) inputs, of which \(report.arrived) led to it, \
            the slowest \(report.slowest), \(report.growth / 1_024) KiB more
            """
        )
        #expect(!Fuzzer.isAlone || report.growth < 8 * 1_024 * 1_024, "DUET_FUZZ_SEED=\(seed)")
    }

    // In its own process, because other tests in this one use memory too.
    @Test(arguments: FuzzTarget.allCases)
    func `read bytes are not kept`(target: FuzzTarget) async {
        await #expect(processExitsWith: .success, "DUET_FUZZ_SEED=\(seed)") {
            [target, seed = seed as UInt64] in
            let report = try await target.fuzz(seed: seed, length: .inputs(1_000))
            try #require(report.growth < 4 * 1_024 * 1_024)
        }
    }

    @Test
    func `kept memory is detected`() async {
        await #expect(processExitsWith: .success) {
            let kept = Kept()
            let fuzzer = Fuzzer(name: "kept", corpus: [[0]], tokens: [], seed: 1, length: .inputs(1_000)) {
                await kept.keep($0)
                return .fine
            }
            let report = try await fuzzer.run()
            try #require(report.growth > 4 * 1_024 * 1_024)
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `the inputs of a corpus reach their target and are without fault`(target: FuzzTarget) async throws {
        let corpus = try target.corpus()
        #expect(corpus.count >= 4)
        for input in corpus {
            let verdict = await target.read(input)
            #expect(verdict == .fine, "\(String(decoding: input, as: UTF8.self))")
        }
    }

    @Test
    func `a fault is reported in a few words with the file of its input`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "duet-fuzz-\(seed)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let fuzzer = Fuzzer(
            name: "brackets",
            corpus: [Array("abc".utf8)],
            tokens: ["["],
            seed: seed,
            length: .inputs(5_000),
            folder: folder
        ) {
            $0.contains(UInt8(ascii: "[")) ? .fault(String(repeating: "A bracket ", count: 1_000)) : .fine
        }
        let report = try await fuzzer.run()
        #expect(report.faults.count == 5, "DUET_FUZZ_SEED=\(seed)")
        for fault in report.faults {
            #expect(fault.count < 400)
            let path = try #require(fault.split(separator: " [").last?.dropLast())
            #expect(try Data(contentsOf: URL(filePath: String(path))).contains(UInt8(ascii: "[")), "\(fault)")
        }
        // No memory remains in use after reading.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 5)
    }

    @Test
    func `an input is slow if three readings of it are`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "duet-slow-\(seed)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let readings = Readings()
        let fuzzer = Fuzzer(
            name: "slow",
            corpus: [[0]],
            tokens: [],
            length: .inputs(1),
            folder: folder,
            budget: .zero
        ) { _ in
            await readings.add()
            return .fine
        }
        let report = try await fuzzer.run()
        #expect(report.faults.count == 1)
        #expect(await readings.count == 3)
    }

    @Test
    func `a seed determines the inputs, and none is larger than a server takes`() async throws {
        func inputs() async throws -> [[UInt8]] {
            let (inputs, seen) = AsyncStream<[UInt8]>.makeStream()
            let fuzzer = Fuzzer(
                name: "inputs",
                corpus: [Array("abc".utf8)],
                tokens: ["[", "{"],
                seed: seed,
                length: .inputs(300)
            ) {
                seen.yield($0)
                return .fine
            }
            _ = try await fuzzer.run()
            seen.finish()
            return await inputs.reduce(into: []) { $0.append($1) }
        }
        let (first, second) = (try await inputs(), try await inputs())
        #expect(first.count == 300)
        #expect(first == second)
        #expect(first.allSatisfy { $0.count <= Fuzzer.largest })
        #expect(Set(first).count > 100)
    }
}

/// Leaks 16 KiB for each input.
private actor Kept {
    private var kept: [[UInt8]] = []

    func keep(_ input: [UInt8]) {
        kept.append([UInt8](repeating: input.first ?? 1, count: 16_384))
    }
}

private actor Readings {
    private(set) var count = 0

    func add() {
        count += 1
    }
}
