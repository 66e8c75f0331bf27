public import DuetCluster
public import DuetDependencies
import DuetHTTP
import FeedBackend
import FeedCache
public import FeedWeb
import Foundation

/// The application's containers and their modules.
extension Container {
    /// Returns the client alone, for a program without a page.
    ///
    /// Everything is opened on first use.
    ///
    /// - Throws: `InvalidBaseURL`; `ExposedToken`; `InvalidContainer`, which the tests rule out.
    public static func client(
        _ options: ClientOptions,
        environment: Environment,
        onWarning: @escaping FeedClient.WarningHandler
    ) throws -> Container {
        try build([environment, ClientModule(options, onWarning: onWarning)])
    }

    /// Returns the pages for a browser, with the client.
    ///
    /// Everything is opened on first use.
    ///
    /// - Parameters:
    ///   - cluster: The cluster that carries the messages; nil for HTTP.
    ///   - inspects: Whether messages are recorded for the page for developers.
    ///   - pageSize: The number of images in a page, 1…100.
    /// - Throws: `InvalidBaseURL`; `ExposedToken`; `InvalidContainer`, which the tests rule out.
    public static func page(
        _ options: ClientOptions,
        environment: Environment,
        cluster: (any ClusterEngine)? = nil,
        inspects: Bool = false,
        pageSize: Int = WebModule.pageSize,
        onWarning: @escaping FeedClient.WarningHandler
    ) throws -> Container {
        let inspection: [any ContainerModule] = inspects ? [InspectModule()] : []
        let client = try ClientModule(options, through: cluster, onWarning: onWarning)
        return try build([environment] + inspection + [client, WebModule(pageSize: pageSize)])
    }

    /// Returns the backend.
    ///
    /// Everything is opened on first use.
    ///
    /// - Throws: `InvalidContainer`, which the tests rule out.
    public static func backend(_ options: BackendOptions, environment: Environment) throws -> Container {
        let comments = ClientQuota(options.commentsPerMinute, per: .seconds(60), clock: environment.clock)
        return try build([environment, BackendModule(database: options.database.path, comments: comments)])
    }

    private static func build(_ modules: [any ContainerModule]) throws -> Container {
        let builder = ContainerBuilder()
        for module in modules { builder.install(module) }
        return try builder.build()
    }
}

extension Container {
    /// Runs `body` with this container, and always disposes of it afterwards.
    ///
    /// - Throws: The error that `body` throws. For a failed resolution it is the underlying error, because the path of
    ///   the resolution does not help the user.
    func use<Value>(_ body: (Container) async throws -> Value) async throws -> Value {
        do {
            return try await ending(after: body)
        } catch let error as ResolutionError {
            guard case .failed(let cause) = error.reason else { throw error }
            throw cause
        }
    }

    /// Opens the client's cache, so that a failure is reported immediately.
    func openStore() async throws {
        _ = try await resolve((any FeedStore & FeedImageDataStore).self)
    }
}
