import DuetTesting
import FeedCache
import FeedFeature
public import Foundation

/// Kills a program in the middle of its saves, again and again, and looks at what is left.
public struct FeedStoreKillTest {
    private let store: FeedStoreWriterProcess.Store
    private let open: (URL) throws -> any FeedImageDataStoreContract.Store

    /// How often the program is killed: `DUET_FAULT_ROUNDS`, or 25.
    private let rounds = ProcessInfo.processInfo.environment["DUET_FAULT_ROUNDS"].flatMap { Int($0) } ?? 25

    /// Makes the test of a store.
    public init(
        _ store: FeedStoreWriterProcess.Store,
        open: @escaping (URL) throws -> any FeedImageDataStoreContract.Store
    ) {
        self.store = store
        self.open = open
    }

    /// Runs the test in one place, which goes through all the kills.
    ///
    /// - Parameter seed: Determines the moments of the kills, as far as the system's own timing lets it.
    /// - Throws: ``ContractViolation``, with the seed.
    public func run(at url: URL, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var generation = 0
        for round in 1...max(1, rounds) {
            let writer = try FeedStoreWriterProcess.start(.write, store, at: url)
            let steps = Int.random(in: 1...12, using: &generator)
            guard try writer.wait(forSteps: steps) else {
                throw ContractViolation("the writer ended by itself (seed \(seed), round \(round))")
            }
            spin(Int.random(in: 0...400_000, using: &generator))
            let saved = generation + steps + writer.kill()
            do {
                generation = try await check(try open(url), saved: saved)
            } catch {
                throw ContractViolation("seed \(seed), round \(round): \(error)")
            }
        }
    }

    /// Checks that the cache is whole and not older than the last feed that was reported as saved.
    private func check(_ store: any FeedImageDataStoreContract.Store, saved: Int) async throws -> Int {
        guard let feed = try await store.retrieve() else { throw ContractViolation("the cache is empty") }
        let found = Int(feed.timestamp.timeIntervalSinceReferenceDate)
        // One more may have been saved and not yet reported.
        guard saved...saved + 1 ~= found else { throw ContractViolation("expected save \(saved), found \(found)") }
        try expect(feed, toBe: GeneratedFeed(found).feed, "save \(found)")
        for image in feed.images {
            if let data = try await store.retrieve(dataForURL: image.url) {
                try expect(data, toBe: GeneratedFeed.data(for: image.url), "the bytes of \(image.url)")
            }
        }
        return found
    }

    /// Lets a little time pass that no clock needs to measure.
    private func spin(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        for _ in 0..<count { _ = generator.next() }
    }
}
