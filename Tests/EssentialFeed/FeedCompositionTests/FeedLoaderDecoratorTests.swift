import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite struct FeedLoaderDecoratorTests {
    private let images = [FeedImage.fixture(1), FeedImage.fixture(2)]
    private let savedAt = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    private let report = ReportSpy()

    private var remotePage: FeedPage { FeedPage(images: images, source: .remote) }
    private var cachedPage: FeedPage { FeedPage(images: images, source: .cache(savedAt: savedAt)) }

    // MARK: Caching

    @Test func `a loaded feed is saved and delivered`() async throws {
        let cache = FeedCacheSpy()
        let page = try await FeedLoaderStub(.success(remotePage)).caching(into: cache, report: report.report).load()
        #expect(page == remotePage)
        #expect(cache.messages == [.save(images)])
        #expect(report.reports == [])
    }

    @Test func `a failed save is reported and the feed is delivered`() async throws {
        let cache = FeedCacheSpy(writeError: Fault("disk full"))
        let page = try await FeedLoaderStub(.success(remotePage)).caching(into: cache, report: report.report).load()
        #expect(page == remotePage)
        #expect(report.reports == ["The feed could not be saved: disk full"])
    }

    @Test func `a failed load saves nothing and keeps its error`() async {
        let cache = FeedCacheSpy()
        let loader = FeedLoaderStub(.failure(Fault())).caching(into: cache, report: report.report)
        await #expect(throws: Fault()) { try await loader.load() }
        #expect(cache.messages == [])
    }

    @Test func `a canceled load does not touch the cache and delivers nothing`() async {
        let cache = FeedCacheSpy()
        let loader = FeedLoaderStub(.success(remotePage)).caching(into: cache, report: report.report)
        let result = await canceled { try await loader.load() }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(cache.messages == [])
    }

    // MARK: Limit

    @Test(arguments: [(1, 1), (2, 2), (3, 2)])
    func `a page is delivered up to the limit, with its source and failure`(limit: Int, count: Int) async throws {
        let page = FeedPage(images: images, source: .cache(savedAt: savedAt), failure: .connectivity("refused"))
        let limited = try await FeedLoaderStub(.success(page)).limited(to: limit).load()
        #expect(limited == FeedPage(images: Array(images[..<count]), source: page.source, failure: page.failure))
    }

    // MARK: Fallback

    @Test func `a page from the server does not use the cache`() async throws {
        let fallback = FeedLoaderStub(.success(cachedPage))
        let page = try await FeedLoaderStub(.success(remotePage))
            .fallingBack(to: fallback, report: report.report).load()
        #expect(page == remotePage)
        #expect(fallback.loads == 0)
    }

    @Test(arguments: [RemoteFailure.connectivity("refused"), .invalidData("no items")])
    func `either failure of the server delivers the cached feed with its age and the failure`(
        failure: RemoteFailure
    ) async throws {
        let page = try await FeedLoaderStub(.failure(failure))
            .fallingBack(to: FeedLoaderStub(.success(cachedPage)), report: report.report).load()
        #expect(page == FeedPage(images: images, source: .cache(savedAt: savedAt), failure: failure))
    }

    @Test func `with nothing usable in the cache the feed is empty and has the failure`() async throws {
        let failure = RemoteFailure.connectivity("refused")
        let page = try await FeedLoaderStub(.failure(failure))
            .fallingBack(to: FeedLoaderStub(.success(FeedPage(images: [], source: .nowhere))), report: report.report)
            .load()
        #expect(page == FeedPage(images: [], source: .nowhere, failure: failure))
    }

    @Test func `a failing cache is reported, and the server's failure is shown`() async throws {
        let failure = RemoteFailure.connectivity("refused")
        let page = try await FeedLoaderStub(.failure(failure))
            .fallingBack(to: FeedLoaderStub(.failure(Fault("corrupt"))), report: report.report).load()
        #expect(page == FeedPage(images: [], source: .nowhere, failure: failure))
        #expect(report.reports == ["The cached feed could not be loaded: corrupt"])
    }

    @Test func `a cancellation is not a failure, and the cache is not tried`() async {
        let fallback = FeedLoaderStub(.success(cachedPage))
        let loader = FeedLoaderStub(.failure(CancellationError())).fallingBack(to: fallback, report: report.report)
        await #expect(throws: CancellationError.self) { try await loader.load() }
        #expect(fallback.loads == 0)
    }

    @Test func `a failure in a canceled task shows nothing`() async {
        let fallback = FeedLoaderStub(.success(cachedPage))
        let loader = FeedLoaderStub(.failure(RemoteFailure.connectivity("canceled")))
            .fallingBack(to: fallback, report: report.report)
        let result = await canceled { try await loader.load() }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(fallback.loads == 0)
    }

    // MARK: Appending

    @Test func `a later page is added to the feed that was cached when the load began`() async throws {
        let cache = FeedCacheSpy(savedAt: .success(savedAt))
        let next = FeedPage(images: [.fixture(3)], source: .remote)
        let page = try await FeedLoaderStub(.success(next))
            .appending(to: cache, after: images[1].id, report: report.report).load()
        #expect(page == next)
        #expect(cache.messages == [.savedAt, .append([.fixture(3)], after: images[1].id, savedAt: savedAt)])
    }

    @Test func `an empty page adds nothing`() async throws {
        let cache = FeedCacheSpy(savedAt: .success(savedAt))
        _ = try await FeedLoaderStub(.success(FeedPage(images: [], source: .remote)))
            .appending(to: cache, after: images[1].id, report: report.report).load()
        #expect(cache.messages == [.savedAt])
    }

    @Test func `a page after an expired or empty cache is delivered and not saved`() async throws {
        let cache = FeedCacheSpy()
        let page = try await FeedLoaderStub(.success(remotePage))
            .appending(to: cache, after: images[1].id, report: report.report).load()
        #expect(page == remotePage)
        #expect(cache.messages == [.savedAt])
    }

    @Test func `a page is delivered even if the cache cannot be read`() async throws {
        let cache = FeedCacheSpy(savedAt: .failure(Fault("corrupt")))
        let page = try await FeedLoaderStub(.success(remotePage))
            .appending(to: cache, after: images[1].id, report: report.report).load()
        #expect(page == remotePage)
        #expect(report.reports == ["The cached feed could not be read: corrupt"])
    }

    @Test func `a page is delivered even if it cannot be saved`() async throws {
        let cache = FeedCacheSpy(savedAt: .success(savedAt), writeError: Fault("disk full"))
        let page = try await FeedLoaderStub(.success(remotePage))
            .appending(to: cache, after: images[1].id, report: report.report).load()
        #expect(page == remotePage)
        #expect(report.reports == ["The page could not be saved: disk full"])
    }

    @Test func `a later page that fails does not use the cache`() async {
        let cache = FeedCacheSpy(savedAt: .success(savedAt))
        let failure = RemoteFailure.connectivity("refused")
        let loader = FeedLoaderStub(.failure(failure)).appending(to: cache, after: images[1].id, report: report.report)
        await #expect(throws: failure) { try await loader.load() }
        #expect(cache.messages == [.savedAt])
    }
}
