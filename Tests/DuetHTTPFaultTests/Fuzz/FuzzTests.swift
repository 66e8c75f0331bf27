import Foundation
import Testing

/// Changed copies of a corpus are read: nothing ends the process, nothing hangs, nothing is left in memory.
///
/// A run is short unless `DUET_FUZZ_SECONDS` says how long all targets have together; `DUET_FUZZ_SEED` repeats one. An input that
/// ended the process lies in the temporary directory; it belongs into the corpus.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct FuzzTests {
    private let seconds = ProcessInfo.processInfo.environment["DUET_FUZZ_SECONDS"].flatMap(Int.init)
    private let seed =
        ProcessInfo.processInfo.environment["DUET_FUZZ_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    @Test(arguments: FuzzTarget.allCases)
    func `no input is fatal`(target: FuzzTarget) async throws {
        let length = seconds.map { Fuzzer.Length.time(.seconds($0) / FuzzTarget.allCases.count) } ?? .inputs(400)
        if seconds != nil { print("Fuzzing \(target.rawValue) with DUET_FUZZ_SEED=\(seed)") }
        let report = try await Fuzzer(
            name: target.rawValue,
            corpus: try target.corpus(),
            tokens: target.tokens,
            seed: seed,
            length: length
        ) { await target.fault(reading: $0) }.run()
        #expect(report.faults == [], "DUET_FUZZ_SEED=\(seed)")
        guard seconds != nil else { return }
        print(
            "\(target.rawValue): \(report.inputs) inputs, the slowest \(report.slowest), \(report.growth / 1_024) KiB more"
        )
        // Only here: in a short run other tests share the process.
        #expect(report.growth < 64 * 1_024 * 1_024, "DUET_FUZZ_SEED=\(seed)")
    }

    @Test(arguments: FuzzTarget.allCases)
    func `a corpus leads to what is fuzzed, and nothing is wrong with it`(target: FuzzTarget) async throws {
        let corpus = try target.corpus()
        #expect(corpus.count >= 4)
        for input in corpus {
            let fault = await target.fault(reading: input)
            #expect(fault == nil, "\(String(decoding: input, as: UTF8.self))")
        }
    }

    @Test
    func `a fault is found, and told with its input`() async throws {
        let fuzzer = Fuzzer(
            name: "brackets",
            corpus: [Array("abc".utf8)],
            tokens: ["["],
            seed: seed,
            length: .inputs(5_000)
        ) {
            $0.contains(UInt8(ascii: "[")) ? "A bracket" : nil
        }
        let report = try await fuzzer.run()
        #expect(report.faults.count == 5, "DUET_FUZZ_SEED=\(seed)")
        let input = try #require(report.faults.first).split(separator: ": ").last.flatMap {
            Data(base64Encoded: String($0))
        }
        #expect(try #require(input).contains(UInt8(ascii: "[")))
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
                return nil
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
