import DuetDependencies
import FeedBackend
import FeedComposition
import FeedTesting
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Testing

/// The real backend on a socket, with the bundled photographs, until `stop()`.
struct RunningBackend {
    let url: URL
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    /// Starts a backend; a restart uses the same port, because cached image URLs contain it.
    init(in directory: TemporaryDirectory, port: Int = 0, now: @escaping @Sendable () -> Date) async throws {
        let logger = Logger(label: "backend", factory: { _ in SwiftLogNoOpLogHandler() })
        let container = try Container.backend(
            BackendOptions(database: directory.url.appending(path: "backend.sqlite")),
            environment: Environment(now: now, logger: logger)
        )
        try await container.resolve(FeedSeeder.self).seed(from: FeedSeeder.samples)
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = try FeedBackend(container: container).application(
            host: "127.0.0.1",
            port: port,
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
        task = Task {
            defer { announcement.finish() }
            try await group.run()
        }
        guard let bound = await ports.first(where: { _ in true }) else {
            try await task.value
            throw CannotStart()
        }
        self.group = group
        url = try #require(URL(string: "http://127.0.0.1:\(bound)/"))
    }

    /// Stops the backend as Ctrl-C does.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    private struct CannotStart: Error {}
}
