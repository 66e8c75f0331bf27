import FeedCache
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite struct FeedImageDataLoaderDecoratorTests {
    private let url = FeedImage.fixture(1).url
    private let image = Data([0xFF, 0xD8, 0xFF, 0xE0])
    private let report = ReportSpy()

    @Test func `a cache hit sends nothing to the server`() async throws {
        let local = ImageDataSpy(.success(image))
        let remote = ImageDataSpy(.failure(Fault()))
        #expect(try await local.fallingBack(to: remote, report: report.report).loadImageData(from: url) == image)
        #expect(remote.messages == [])
    }

    @Test func `a cache miss loads once, validates, saves and delivers`() async throws {
        let local = ImageDataSpy(.failure(Fault("not found")))
        let remote = ImageDataSpy(.success(image))
        let loader = local.fallingBack(
            to: remote.validated().caching(into: local, report: report.report),
            report: report.report
        )
        #expect(try await loader.loadImageData(from: url) == image)
        #expect(remote.messages == [.load(url)])
        #expect(local.messages == [.load(url), .save(image, url)])
    }

    @Test func `a cache miss is not reported, and a cache failure is`() async throws {
        let remote = ImageDataSpy(.success(image))
        for error in [LocalImageDataError.notFound(url), .failed(underlying: Fault("corrupt"))] {
            let local = ImageDataSpy(.failure(error))
            let loader = local.fallingBack(to: remote, report: report.report)
            #expect(try await loader.loadImageData(from: url) == image)
        }
        #expect(report.reports.count == 1)
        #expect(report.reports.first?.contains("corrupt") == true)
    }

    @Test func `bytes that are not an image are neither delivered nor saved`() async {
        let local = ImageDataSpy(.failure(Fault("not found")))
        let remote = ImageDataSpy(.success(Data("<html>".utf8)))
        let loader = local.fallingBack(
            to: remote.validated().caching(into: local, report: report.report),
            report: report.report
        )
        await #expect(throws: RemoteFailure.invalidData("6 bytes that are not a JPEG, PNG, GIF or WebP image")) {
            try await loader.loadImageData(from: url)
        }
        #expect(local.messages == [.load(url)])
    }

    @Test func `a failed save is reported and the bytes are delivered`() async throws {
        let cache = ImageDataSpy(.failure(Fault()), saveError: Fault("disk full"))
        let loader = ImageDataSpy(.success(image)).caching(into: cache, report: report.report)
        #expect(try await loader.loadImageData(from: url) == image)
        #expect(report.reports == ["An image could not be saved: disk full"])
    }

    @Test func `a failure of the server is delivered unchanged and never saved`() async {
        let local = ImageDataSpy(.failure(Fault("not found")))
        let failure = RemoteFailure.connectivity("refused")
        let loader = local.fallingBack(
            to: ImageDataSpy(.failure(failure)).caching(into: local, report: report.report),
            report: report.report
        )
        await #expect(throws: failure) { try await loader.loadImageData(from: url) }
        #expect(local.messages == [.load(url)])
    }

    @Test func `a canceled load sends and saves nothing`() async {
        let local = ImageDataSpy(.failure(Fault("not found")))
        let remote = ImageDataSpy(.success(image))
        let loader = local.fallingBack(to: remote.caching(into: local, report: report.report), report: report.report)
        let result = await canceled { try await loader.loadImageData(from: url) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(remote.messages == [])
        #expect(local.messages == [.load(url)])
    }
}
