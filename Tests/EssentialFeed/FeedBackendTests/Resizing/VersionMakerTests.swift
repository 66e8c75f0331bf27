import Duet
import DuetSQLite
import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Logging
import Synchronization
import TestSupport
import Testing

@testable import FeedBackend

/// The smaller versions that a backend makes in the background.
struct VersionMakerTests {
    private let backend: TestBackend
    private let resizer = FakeResizer()
    private let maker: VersionMaker

    init() async throws {
        let backend = try await TestBackend()
        self.backend = backend
        maker = VersionMaker(
            backend.database,
            resizer,
            try await backend.dispatcher,
            now: CurrentDate { TestBackend.now },
            logger: .silent
        )
    }

    private var images: [FeedImage] {
        get async throws { try await backend.dispatcher.dispatch(LoadFeed()).images }
    }

    @Test func `each image gets its versions and its color, the newest first, once`() async throws {
        try await backend.publish(1...3)
        #expect(try await images.allSatisfy { $0.versions.isEmpty && $0.color == nil })
        try await maker.makeAll()
        try await maker.makeAll()
        #expect(resizer.count == 3)
        for image in try await images {
            #expect(image.versions.map(\.width) == [480, 960])
            #expect(image.color == ImageColor("#102030"))
            let version = LoadPublishedImageData(id: image.id, width: 480)
            let loaded = try await backend.dispatcher.dispatch(version)
            #expect(loaded == PublishedImageData(data: FakeResizer.bytes(480), format: .webp))
            #expect(image.versions[0].url.query()?.hasPrefix("width=480&hash=") == true)
        }
    }

    @Test func `a width that an image does not have is not found`() async throws {
        try await backend.publish(1...1)
        try await maker.makeAll()
        await #expect(throws: ImageNotFound(id: .number(1))) {
            try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1), width: 481))
        }
    }

    @Test func `an image is tried twice, and does not hold up the others`() async throws {
        try await backend.publish(1...2)
        resizer.failures = [.killed(signal: 9), nil, .killed(signal: 9)]
        try await maker.makeAll()
        try await maker.makeAll()
        #expect(resizer.count == 3)
        #expect(try await images.map(\.versions.count).sorted() == [0, 2])
    }

    @Test func `a missing program costs no attempt`() async throws {
        try await backend.publish(1...1)
        for _ in 1...3 {
            resizer.failures = [.missingProgram(path: "/p", package: "p")]
            await #expect(throws: ImageResizingError.missingProgram(path: "/p", package: "p")) {
                try await maker.makeAll()
            }
        }
        try await maker.makeAll()
        #expect(try await images.first?.versions.isEmpty == false)
    }

    @Test func `an image that another backend works on is left to it`() async throws {
        try await backend.publish(1...1)
        let gate = Gate()
        resizer.gate = gate
        async let first: Void = maker.makeAll()
        await gate.arrivals(1)
        try await maker.makeAll()
        #expect(resizer.count == 1)
        gate.open()
        try await first
        #expect(try await images.first?.versions.count == 2)
    }

    @Test func `a canceled attempt does not count, and a removed image gets nothing`() async throws {
        try await backend.publish(1...1)
        let gate = Gate()
        resizer.gate = gate
        let making = Task { try await maker.makeAll() }
        await gate.arrivals(1)
        making.cancel()
        await #expect(throws: CancellationError.self) { try await making.value }
        let other = Task { try await maker.makeAll() }
        await gate.arrivals(2)
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        gate.open()
        try await other.value
        let rest = try await backend.database.connection.read { db in
            try ["image_version", "image_bytes"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)") }
        }
        #expect(rest == [0, 0])
    }

    @Test func `an error that is not the image's does not end the work`() async throws {
        let task = Task { await maker.run() }
        resizer.fault = AnyError()
        for number in 1...2 {
            try await backend.publish(number...number)
            while resizer.count < number { await Task.yield() }
        }
        while try await images.first?.versions.isEmpty != false { await Task.yield() }
        task.cancel()
        await task.value
    }

    @Test func `an image that a killed backend left is claimed when its lease ends`() async throws {
        try await backend.publish(1...1)
        let clock = ManualClock()
        let end = Int64((clock.date.timeIntervalSince1970 * 1_000).rounded()) + 300_000
        try await backend.database.connection.write { db in
            try db.execute(sql: "UPDATE image SET attempts = 1, claimed_until = ?", arguments: [end])
        }
        let maker = VersionMaker(
            backend.database,
            resizer,
            try await backend.dispatcher,
            now: CurrentDate { clock.date },
            clock: clock,
            logger: .silent
        )
        let task = Task { await maker.run() }
        #expect(await clock.nextSleeper() == .seconds(300))
        #expect(resizer.count == 0)
        clock.advance(by: .seconds(300))
        while try await images.first?.versions.isEmpty != false { await Task.yield() }
        task.cancel()
        await task.value
    }

    @Test func `versions follow each publication until the end`() async throws {
        let task = Task { await maker.run() }
        for number in 1...3 {
            try await backend.publish(number...number)
            while try await images.first?.versions.isEmpty != false { await Task.yield() }
        }
        task.cancel()
        await task.value
    }
}

/// A resizer that makes two versions of each image.
private final class FakeResizer: ImageResizer {
    private struct State {
        var count = 0
        var failures: [ImageResizingError?] = []
        var fault: AnyError?
        var gate: Gate?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    /// The error of the next call, which no resizer throws.
    var fault: AnyError? {
        get { state.withLock(\.fault) }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The errors of the next calls; nil for a success.
    var failures: [ImageResizingError?] {
        get { state.withLock(\.failures) }
        set { state.withLock { $0.failures = newValue } }
    }

    var gate: Gate? {
        get { state.withLock(\.gate) }
        set { state.withLock { $0.gate = newValue } }
    }

    static func bytes(_ width: Int) -> Data { Data("RIFF0000WEBP\(width)".utf8) }

    func resize(_ image: ImageFile) async throws -> ResizedImage {
        let failure: (any Error)? = state.withLock { state in
            state.count += 1
            if let fault = state.fault.take() { return fault }
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw failure }
        try await gate?.pass()
        let versions = try [480, 960].map { width in
            ResizedImage.Version(size: try #require(ImageSize(width: width, height: width)), data: Self.bytes(width))
        }
        return ResizedImage(versions: versions, color: try #require(ImageColor("#102030")))
    }
}
