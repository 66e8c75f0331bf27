import FeedFeature
import Foundation
import Synchronization

/// Returns a list of results in turn, and counts the loads.
final class FeedLoaderStub: FeedLoader {
    private let state: Mutex<(results: [Result<FeedPage, any Error>], loads: Int)>

    init(_ results: Result<FeedPage, any Error>...) {
        state = Mutex((results, 0))
    }

    var loads: Int { state.withLock { $0.loads } }

    func load() async throws -> FeedPage {
        try state.withLock { state in
            state.loads += 1
            return try state.results.removeFirst().get()
        }
    }
}

/// A cache that records the messages it receives.
final class FeedCacheSpy: FeedCache {
    enum Message: Equatable {
        case save([FeedImage])
        case append([FeedImage], after: UUID, savedAt: Date)
        case savedAt
    }

    private let date: Result<Date?, any Error>
    private let writeError: (any Error)?
    private let received = Mutex<[Message]>([])

    init(savedAt date: Result<Date?, any Error> = .success(nil), writeError: (any Error)? = nil) {
        self.date = date
        self.writeError = writeError
    }

    var messages: [Message] { received.withLock { $0 } }

    func save(_ feed: [FeedImage]) async throws {
        received.withLock { $0.append(.save(feed)) }
        if let writeError { throw writeError }
    }

    func append(_ page: [FeedImage], after last: UUID, savedAt: Date) async throws {
        received.withLock { $0.append(.append(page, after: last, savedAt: savedAt)) }
        if let writeError { throw writeError }
    }

    func savedAt() async throws -> Date? {
        received.withLock { $0.append(.savedAt) }
        return try date.get()
    }
}

/// Records the reported failures.
final class ReportSpy: Sendable {
    private let received = Mutex<[String]>([])

    var reports: [String] { received.withLock { $0 } }

    var report: @Sendable (String, any Error) -> Void {
        { what, error in self.received.withLock { $0.append("\(what): \(error)") } }
    }
}

/// A loader and cache of image bytes that records the messages it receives.
final class ImageDataSpy: FeedImageDataLoader, FeedImageDataCache {
    enum Message: Equatable {
        case load(URL)
        case save(Data, URL)
    }

    private let result: Result<Data, any Error>
    private let saveError: (any Error)?
    private let received = Mutex<[Message]>([])

    init(_ result: Result<Data, any Error>, saveError: (any Error)? = nil) {
        self.result = result
        self.saveError = saveError
    }

    var messages: [Message] { received.withLock { $0 } }

    func loadImageData(from url: URL) async throws -> Data {
        received.withLock { $0.append(.load(url)) }
        return try result.get()
    }

    func save(_ data: Data, for url: URL) async throws {
        received.withLock { $0.append(.save(data, url)) }
        if let saveError { throw saveError }
    }
}

/// An error that tests throw.
struct Fault: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String = "fault") {
        self.description = description
    }
}
