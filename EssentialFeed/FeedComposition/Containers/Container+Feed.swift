public import DuetDependencies
import FeedBackend
import FeedCache
import FeedWeb
import Foundation

/// The application's containers: of which modules each is made.
extension Container {
    /// The client alone, for a program without a page.
    ///
    /// Nothing is opened before it is needed.
    ///
    /// - Throws: `InvalidBaseURL`; ``ExposedToken``; `InvalidContainer`, which the tests rule out.
    public static func client(
        _ options: ClientOptions,
        environment: Environment,
        notice: @escaping FeedClient.Notice
    ) throws -> Container {
        try build(environment, ClientModule(options, notice: notice))
    }

    /// The pages for a browser, on the client.
    ///
    /// Nothing is opened before it is needed.
    ///
    /// - Throws: `InvalidBaseURL`; ``ExposedToken``; `InvalidContainer`, which the tests rule out.
    public static func page(
        _ options: ClientOptions,
        environment: Environment,
        notice: @escaping FeedClient.Notice
    ) throws -> Container {
        try build(environment, ClientModule(options, notice: notice), WebModule())
    }

    /// The backend.
    ///
    /// Nothing is opened before it is needed.
    ///
    /// - Throws: `InvalidContainer`, which the tests rule out.
    public static func backend(_ options: BackendOptions, environment: Environment) throws -> Container {
        try build(environment, BackendModule(database: options.database.path))
    }

    private static func build(_ modules: any ContainerModule...) throws -> Container {
        let builder = ContainerBuilder()
        for module in modules { builder.install(module) }
        return try builder.build()
    }
}

extension Container {
    /// Hands this container to `body`, and disposes of it however that ends.
    ///
    /// - Throws: What `body` throws. Of what could not be made it is the reason alone: the way there says nothing to the
    ///   person who runs the program.
    func use<Value>(_ body: (Container) async throws -> Value) async throws -> Value {
        do {
            return try await ending(after: body)
        } catch let error as ResolutionError {
            throw error.cause
        }
    }

    /// Opens the client's cache, so that one that cannot be opened is told of at once.
    func openStore() async throws {
        _ = try await resolve((any FeedStore & FeedImageDataStore).self)
    }
}

extension ResolutionError {
    fileprivate var cause: any Error {
        if case .failed(let error) = reason { error } else { self }
    }
}
