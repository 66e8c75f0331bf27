import DuetContracts
import DuetTesting
import FeedCache
import FeedFeature
public import Foundation

/// Repeatedly kills a program in the middle of its saves, and checks the cache that remains.
public struct FeedStoreKillTest {
    private let open: (URL) async throws -> any FeedImageDataStoreContract.Store

    /// The number of kills.
    private let rounds = faultRounds

    /// Creates the test of a store.
    public init(open: @escaping (URL) async throws -> any FeedImageDataStoreContract.Store) {
        self.open = open
    }

    /// Runs the test on one cache, which survives all the kills.
    ///
    /// The program reports each step, also within a transaction, and is killed after a random number of them.
    ///
    /// - Parameter seed: Determines the steps after which the program is killed.
    /// - Throws: ``ContractViolation``, with the seed.
    public func run(at url: URL, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var generation = 0
        for round in 1...max(1, rounds) {
            let writer = try FeedStoreWriterProcess.start(.write, at: url)
            guard try writer.wait(forSteps: Int.random(in: 1...60, using: &generator)) else {
                throw ContractViolation("the writer ended by itself (seed \(seed), round \(round))")
            }
            writer.kill()
            let saved = generation + writer.steps.count { $0 == FeedStoreWriterProcess.Step.committed.rawValue }
            do {
                generation = try await check(open(url), saved: saved)
            } catch {
                throw ContractViolation("seed \(seed), round \(round): \(error)")
            }
        }
    }

    /// Checks that the cache is whole and not older than the last feed that was reported as committed.
    private func check(_ store: any FeedImageDataStoreContract.Store, saved: Int) async throws -> Int {
        guard let feed = try await store.retrieve() else {
            guard saved == 0 else { throw ContractViolation("the cache is empty") }
            return 0
        }
        let found = Int(feed.timestamp.timeIntervalSinceReferenceDate)
        // The next one may have been committed and not yet reported.
        guard saved...saved + 1 ~= found else { throw ContractViolation("expected save \(saved), found \(found)") }
        try require(feed, toBe: GeneratedFeed(found).feed, "save \(found)")
        for image in feed.images {
            if let data = try await store.retrieve(dataForURL: image.url) {
                try require(data, toBe: GeneratedFeed.data(for: image.url), "the bytes of \(image.url)")
            }
        }
        return found
    }
}
