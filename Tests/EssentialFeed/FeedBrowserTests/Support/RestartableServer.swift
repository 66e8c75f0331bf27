import DuetDependencies
import FeedTesting
import Foundation
import NIOCore
import ServiceLifecycle

/// A server in this process that a test stops and starts again, on the same port and with the same data.
///
/// While it does not run, connections to its port are refused.
actor RestartableServer {
    typealias Listening = @Sendable @concurrent (any Channel) async -> Void

    /// Creates the server's container, and the services that it consists of, one of which reports when it listens.
    typealias Make =
        @Sendable (_ port: Int, _ onListening: @escaping Listening) async throws -> (
            Container, [any Service]
        )

    /// The address of the server.
    nonisolated let url: URL

    private let port: ReservedPort
    private let make: Make
    private var running: (group: ServiceGroup, task: Task<Void, any Error>)?

    init(_ make: @escaping Make) throws {
        port = try ReservedPort()
        url = port.url
        self.make = make
    }

    /// Starts the server, and returns when it listens.
    ///
    /// - Throws: The server's error.
    func start() async throws {
        precondition(running == nil, "The server runs already.")
        let (starts, announcement) = AsyncStream.makeStream(of: Void.self)
        let (container, servers) = try await make(port.number) { _ in announcement.yield() }
        var configuration = ServiceGroupConfiguration(services: servers, logger: .silent)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: configuration)
        let task = Task {
            defer { announcement.finish() }
            let result = await Task { try await group.run() }.result
            await container.dispose()
            try result.get()
        }
        guard await starts.first(where: { _ in true }) != nil else { return try await task.value }
        running = (group, task)
    }

    /// Stops the server as Ctrl-C does, and returns when it has ended; does nothing if it does not run.
    ///
    /// - Throws: The server's error.
    func stop() async throws {
        guard let (group, task) = running else { return }
        running = nil
        try await port.end {
            await group.triggerGracefulShutdown()
            try await task.value
        }
    }
}
