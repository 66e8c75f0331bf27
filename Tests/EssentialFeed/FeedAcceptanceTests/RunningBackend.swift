import DuetDependencies
import FeedBackend
import FeedComposition
import FeedTesting
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// The real backend on a socket, by default with the bundled photographs, until `stop()`.
struct RunningBackend {
    private let port: ReservedPort
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(
        in directory: TemporaryDirectory,
        on port: ReservedPort,
        now: @escaping @Sendable () -> Date,
        seed: URL? = FeedSeeder.samples
    ) async throws {
        let logger = Logger(label: "backend", factory: { _ in SwiftLogNoOpLogHandler() })
        let container = try Container.backend(
            BackendOptions(database: directory.url.appending(path: "backend.sqlite")),
            environment: Environment(now: now, logger: logger)
        )
        if let seed { try await container.resolve(FeedSeeder.self).seed(from: seed) }
        let (starts, announcement) = AsyncStream.makeStream(of: Void.self)
        let application = try FeedBackend(container: container).application(
            host: "127.0.0.1",
            port: port.number,
            onServerRunning: { _ in announcement.yield() },
            logger: logger
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
        task = Task {
            defer { announcement.finish() }
            try await group.run()
        }
        guard await starts.first(where: { _ in true }) != nil else {
            try await task.value
            throw CannotStart()
        }
        self.group = group
        self.port = port
    }

    /// Stops the backend as Ctrl-C does.
    func stop() async throws {
        try await port.end {
            await group.triggerGracefulShutdown()
            try await task.value
        }
    }

    private struct CannotStart: Error {}
}
