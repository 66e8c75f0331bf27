import DuetContracts
import DuetTesting
import FeedCache
import FeedFeature
public import Foundation

/// The contract after a failed step within a command: the cache is the previous one with its bytes, or the new one.
public enum FeedStoreFaultContract: CaseIterable, Sendable {
    /// An insertion is atomic.
    case `a failed insertion leaves the previous cache`
    /// A deletion is atomic.
    case `a failed deletion leaves the previous cache`
    /// Appending a page is atomic.
    case `a failed appending leaves the previous cache`
    /// A save, which is a deletion and an insertion, is atomic.
    case `a failed save leaves the previous cache`
    /// Storing bytes is atomic.
    case `failed bytes leave the previous bytes`

    /// A store in which one step will fail.
    public struct Faulty {
        /// The store.
        public let store: any FeedImageDataStoreContract.Store

        /// Whether the step was reached and failed; the command may still have succeeded.
        public let hasFailed: () -> Bool

        /// Removes the fault, for the stores that are opened next.
        public let heal: () throws -> Void

        /// Creates a faulty store.
        public init(
            _ store: any FeedImageDataStoreContract.Store,
            hasFailed: @escaping () -> Bool = { false },
            heal: @escaping () throws -> Void = {}
        ) {
            self.store = store
            self.hasFailed = hasFailed
            self.heal = heal
        }
    }

    /// Checks this clause for the 1st, 2nd, … step.
    ///
    /// - Parameters:
    ///   - steps: The numbers of the steps that fail, one after another.
    ///   - open: Opens a store without a fault in a folder.
    ///   - openFaulty: Opens a store in the same folder that fails at a step.
    /// - Returns: The steps that were reached and failed.
    /// - Throws: ``ContractViolation``.
    public func verify(
        steps: ClosedRange<Int>,
        open: (_ directory: URL) async throws -> any FeedImageDataStoreContract.Store,
        openFaulty: (_ directory: URL, _ step: Int) async throws -> Faulty
    ) async throws -> [Int] {
        var failed: [Int] = []
        for step in steps {
            let directory = try TemporaryDirectory()
            try await prepare(open(directory.url))
            let faulty = try await openFaulty(directory.url, step)
            var error: (any Error)?
            do {
                try await perform(on: faulty.store)
            } catch let found {
                error = found
            }
            if error != nil || faulty.hasFailed() { failed.append(step) }
            try faulty.heal()

            do {
                let store = try await open(directory.url)
                try await check(store, isNew: error == nil)
                if error != nil {
                    try await perform(on: store)
                    try await check(open(directory.url), isNew: true)
                }
            } catch let violation as ContractViolation {
                throw ContractViolation("step \(step), error \(error as Any): \(violation.description)")
            }
        }
        return failed
    }

    private var old: CachedFeed { CachedFeed(images: FeedImage.fixtures(0..<4), timestamp: .fixture) }
    private var new: CachedFeed { CachedFeed(images: FeedImage.fixtures(2..<300), timestamp: .fixture + 60) }
    private var newBytes: Data { Data(repeating: 7, count: 50_000) }

    private func bytes(_ n: Int) -> Data { Data("bytes \(n)".utf8) }

    private func prepare(_ store: any FeedImageDataStoreContract.Store) async throws {
        try await store.insert(old)
        for n in 0..<4 { try await store.insert(bytes(n), for: .fixture(n)) }
    }

    private func perform(on store: any FeedImageDataStoreContract.Store) async throws {
        let new = new
        switch self {
        case .`a failed insertion leaves the previous cache`:
            try await store.insert(new)
        case .`a failed deletion leaves the previous cache`:
            try await store.deleteCachedFeed()
        case .`a failed appending leaves the previous cache`:
            try await store.append(new.images)
        case .`a failed save leaves the previous cache`:
            try await store.transaction { store in
                try store.deleteCachedFeed()
                try store.insert(new.images, timestamp: new.timestamp)
            }
        case .`failed bytes leave the previous bytes`:
            try await store.insert(newBytes, for: .fixture(3))
        }
    }

    private func check(_ store: any FeedImageDataStoreContract.Store, isNew: Bool) async throws {
        switch self {
        case .`failed bytes leave the previous bytes`:
            try await expect(store, toHold: old)
            for n in 0..<3 { try await expect(store, toHold: bytes(n), for: .fixture(n)) }
            try await expect(store, toHold: isNew ? newBytes : bytes(3), for: .fixture(3))
        case _ where !isNew:
            try await expect(store, toHold: old)
            for n in 0..<4 { try await expect(store, toHold: bytes(n), for: .fixture(n)) }
        case .`a failed deletion leaves the previous cache`:
            try await expect(store, toHold: nil)
            for n in 0..<4 { try await expect(store, toHold: nil, for: .fixture(n)) }
            try await store.insert(old)
            for n in 0..<4 { try await expect(store, toHold: nil, for: .fixture(n)) }
        case .`a failed appending leaves the previous cache`:
            let images = FeedImage.fixtures(0..<300)
            try await expect(store, toHold: CachedFeed(images: images, timestamp: old.timestamp))
            for n in 0..<4 { try await expect(store, toHold: bytes(n), for: .fixture(n)) }
        case .`a failed insertion leaves the previous cache`, .`a failed save leaves the previous cache`:
            try await expect(store, toHold: new)
            for n in 0..<4 { try await expect(store, toHold: n < 2 ? nil : bytes(n), for: .fixture(n)) }
        }
    }
}
