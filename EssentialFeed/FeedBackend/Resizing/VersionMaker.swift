package import Duet
import DuetSQLite
package import FeedFeature
import Foundation
import GRDB
package import Logging

/// Makes the smaller versions of the published images in the background, one image at a time, the newest first.
///
/// The database says which images have none yet, so an end of the process loses nothing, and of several backends on one
/// file only one works on an image. After two failures, an image keeps its original alone.
package struct VersionMaker: Sendable {
    private static let attemptLimit = 2

    /// How long an image belongs to the backend that works on it.
    private static let lease: TimeInterval = 5 * 60

    private let database: FeedDatabase
    private let resizer: any ImageResizer
    private let dispatcher: any Dispatcher
    private let now: CurrentDate
    private let clock: any Clock<Duration>
    private let logger: Logger

    /// - Parameters:
    ///   - dispatcher: Reports when an image was published.
    ///   - clock: Measures the time until an image that another backend has left can be claimed.
    ///   - logger: Receives why an image has no versions.
    package init(
        _ database: FeedDatabase,
        _ resizer: any ImageResizer,
        _ dispatcher: any Dispatcher,
        now: CurrentDate,
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) {
        self.database = database
        self.resizer = resizer
        self.dispatcher = dispatcher
        self.now = now
        self.clock = clock
        self.logger = logger
    }
}

extension VersionMaker {
    /// Makes versions whenever an image was published or a lease has ended, until the task is canceled.
    ///
    /// Without the resizer's program, it logs once how to install it, and ends; originals are served then. After an
    /// error of the database, it tries again after a lease, or when the next image was published.
    package func run() async {
        let (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observation = Task { [dispatcher] in
            for await _ in dispatcher.observe(LoadNewestImage()) { wakeup.yield() }
            wakeup.finish()
        }
        var timer: Task<Void, any Error>?
        defer {
            observation.cancel()
            timer?.cancel()
        }
        for await _ in wakeups {
            var pause: TimeInterval? = Self.lease
            do {
                try await makeAll()
                pause = try await timeUntilClaim()
            } catch let error as ImageResizingError {
                return logger.notice("\(error)")
            } catch  where !(error is CancellationError) {
                logger.error("The versions of images could not be stored: \(error)")
            } catch {
                return
            }
            timer?.cancel()
            timer = pause.map { pause in
                Task { [clock] in
                    try await clock.sleep(for: .seconds(pause))
                    wakeup.yield()
                }
            }
        }
    }

    /// Returns the time until the first lease ends; nil without one.
    private func timeUntilClaim() async throws -> TimeInterval? {
        let sql = "SELECT MIN(claimed_until) FROM image WHERE attempts < \(Self.attemptLimit)"
        let end = try await database.connection.read { db in try Int64.fetchOne(db, sql: sql) }
        return end.map { max(0, Double($0 - now().millisecondsSince1970) / 1_000) }
    }

    /// Makes the versions of all images that have none.
    ///
    /// - Throws: `ImageResizingError.missingProgram`; the database's own error; `CancellationError`.
    package func makeAll() async throws {
        while let image = try await claimImage() {
            do {
                let original = try ImageFile(image.data)
                try await store(try await resizer.resize(original), of: image.position)
            } catch let error where error is CancellationError || (error as? ImageResizingError)?.isLasting == true {
                try await release(image.position, isCounted: false)
                throw error
            } catch let error where error is ImageResizingError || error is InvalidImage {
                logger.error("The image \(image.id) has no smaller versions: \(error)")
                try await release(image.position, isCounted: true)
            }
        }
    }

    private struct ClaimedImage {
        let position: Int64
        let id: UUID
        let data: Data
    }

    private func claimImage() async throws -> ClaimedImage? {
        let date = now()
        let arguments: StatementArguments = [
            date.addingTimeInterval(Self.lease).millisecondsSince1970, date.millisecondsSince1970,
        ]
        return try await database.connection.write { db in
            let sql = """
                UPDATE image SET attempts = attempts + 1, claimed_until = ? WHERE position = (
                    SELECT position FROM image WHERE attempts < \(Self.attemptLimit) AND claimed_until <= ?
                    ORDER BY attempts, position DESC LIMIT 1
                )
                RETURNING position, id
                """
            guard let row = try Row.fetchOne(db, sql: sql, arguments: arguments) else { return nil }
            let position = try row.decode(Int64.self, atIndex: 0)
            let bytes = "SELECT bytes FROM image_bytes WHERE image = ?"
            guard let data = try Data.fetchOne(db, sql: bytes, arguments: [position]) else { return nil }
            return ClaimedImage(position: position, id: try row.decode(atIndex: 1), data: data)
        }
    }

    private func store(_ resized: ResizedImage, of position: Int64) async throws {
        try await database.connection.write { db in
            // The image may have been removed meanwhile.
            try db.executeCached(
                "UPDATE image SET attempts = NULL, color = ? WHERE position = ?",
                [resized.color.description, position]
            )
            guard db.changesCount == 1 else { return }
            for version in resized.versions {
                try db.executeCached(
                    "INSERT OR REPLACE INTO image_version (image, width, hash, bytes) VALUES (?, ?, ?, ?)",
                    [position, version.size.width, version.data.addressHash, version.data]
                )
            }
        }
    }

    /// Lets an image be claimed again.
    private func release(_ position: Int64, isCounted: Bool) async throws {
        // Also in a canceled task.
        try await Task { [database] in
            try await database.connection.write { db in
                try db.executeCached(
                    "UPDATE image SET attempts = attempts - ?, claimed_until = 0 WHERE position = ?",
                    [isCounted ? 0 : 1, position]
                )
            }
        }.value
    }
}

extension ImageResizingError {
    /// Whether each other image would fail, too.
    fileprivate var isLasting: Bool { if case .missingProgram = self { true } else { false } }
}
