import DuetTesting
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Synchronization
import Testing

/// A loader that a test controls, and that reports each load and each cancellation.
private final class HeldLoader: FeedImageDataLoader {
    enum Event: Equatable {
        case began(URL)
        case cancelled(URL)
    }

    let events: AsyncStream<Event>
    private let announcement: AsyncStream<Event>.Continuation
    private let held = Mutex<[URL: CheckedContinuation<Data, any Error>]>([:])

    init() {
        (events, announcement) = AsyncStream.makeStream()
    }

    func loadImageData(from url: URL) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                held.withLock { $0[url] = continuation }
                announcement.yield(.began(url))
            }
        } onCancel: {
            announcement.yield(.cancelled(url))
            answer(url, with: .failure(CancellationError()))
        }
    }

    func answer(_ url: URL, with result: Result<Data, any Error>) {
        held.withLock { $0.removeValue(forKey: url) }?.resume(with: result)
    }
}

@Suite(.timeLimit(.minutes(1))) struct SharingFeedImageDataLoaderTests {
    private let url = FeedImage.fixture(1).url
    private let other = FeedImage.fixture(2).url
    private let data = Data([1, 2, 3])

    @Test func `many who ask for one URL share one load`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        var events = held.events.makeAsyncIterator()
        let tasks = (0..<100).map { _ in Task { try await loader.loadImageData(from: url) } }
        #expect(await events.next() == .began(url))
        while loader.waiting(for: url) < tasks.count { await Task.yield() }
        held.answer(url, with: .success(data))
        for task in tasks { #expect(try await task.value == data) }

        // The next request begins a new load, and no other load has begun before it.
        let later = Task { try await loader.loadImageData(from: url) }
        #expect(await events.next() == .began(url))
        held.answer(url, with: .success(Data([4])))
        #expect(try await later.value == Data([4]))
    }

    @Test func `different URLs are loaded apart`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        var events = held.events.makeAsyncIterator()
        let first = Task { try await loader.loadImageData(from: url) }
        #expect(await events.next() == .began(url))
        let second = Task { try await loader.loadImageData(from: other) }
        #expect(await events.next() == .began(other))
        held.answer(other, with: .success(Data([2])))
        held.answer(url, with: .success(Data([1])))
        #expect(try await first.value == Data([1]))
        #expect(try await second.value == Data([2]))
    }

    @Test func `a failure reaches everybody, and the next to ask tries again`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        var events = held.events.makeAsyncIterator()
        let tasks = (0..<3).map { _ in Task { try await loader.loadImageData(from: url) } }
        #expect(await events.next() == .began(url))
        while loader.waiting(for: url) < tasks.count { await Task.yield() }
        held.answer(url, with: .failure(Fault()))
        for task in tasks { await #expect(throws: Fault()) { try await task.value } }
        let again = Task { try await loader.loadImageData(from: url) }
        #expect(await events.next() == .began(url))
        held.answer(url, with: .success(data))
        #expect(try await again.value == data)
    }

    @Test func `cancelling one ends its wait and does not cancel the other`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        var events = held.events.makeAsyncIterator()
        let first = Task { try await loader.loadImageData(from: url) }
        #expect(await events.next() == .began(url))
        let second = Task { try await loader.loadImageData(from: url) }
        while loader.waiting(for: url) < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        held.answer(url, with: .success(data))
        #expect(try await second.value == data)
    }

    @Test func `when the last one is cancelled the load is cancelled`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        var events = held.events.makeAsyncIterator()
        let only = Task { try await loader.loadImageData(from: url) }
        #expect(await events.next() == .began(url))
        only.cancel()
        #expect(await events.next() == .cancelled(url))
        await #expect(throws: CancellationError.self) { try await only.value }
    }

    @Test func `one who is cancelled already begins no load`() async throws {
        let held = HeldLoader()
        let loader = held.sharing()
        let result = await cancelled { try await loader.loadImageData(from: url) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(loader.waiting(for: url) == 0)
    }
}
