import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetHTTP
import FeedAPI
import FeedBackend
import FeedFeature
import Foundation

/// Sends messages to the workers of a cluster, for one person or for nobody, and throws the domain's errors.
struct ClusterServer: Dispatcher {
    /// The time after which a page shows what it has cached.
    private static let queryLimit = Duration.seconds(5)

    /// The time for which a revoked token is still accepted.
    fileprivate static let tokenAge = Duration.seconds(5)

    fileprivate let cluster: any Dispatcher
    fileprivate let holders: any QueryDispatcher
    fileprivate let images: SenderDispatcher
    fileprivate let clock: any Clock<Duration>
    fileprivate let token: String?

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        do {
            return try await withPrincipal(principal) { try await send(message) }
        } catch {
            throw error.inDomainTerms
        }
    }

    private func send<M: Message>(_ message: M) async throws -> M.Value {
        guard M.self is any Command.Type else {
            return try await withDeadline(in: Self.queryLimit, clock: clock) { try await cluster.dispatch(message) }
        }
        do {
            // The log does not add a repeat of a key, so that its sender would not learn the error of the first one.
            // Repeats are recognized by the ids in the commands.
            return try await withIdempotencyKey(nil) { try await cluster.dispatch(message) }
        } catch TransportError.tooLarge where M.self is PublishImage.Type {
            return try await images.dispatch(message)
        }
    }

    /// The holder of the token; nil without a token.
    ///
    /// Only the hash of the token leaves this process.
    private var principal: Principal? {
        get async throws {
            guard let token else { return nil }
            guard let holder = try await holders.dispatch(LoadTokenHolder(hash: "\(TokenHash(of: token))")) else {
                throw AuthorizationError.unauthenticated
            }
            return holder
        }
    }
}

extension RemoteDispatcher {
    /// Creates a dispatcher that sends through a cluster.
    ///
    /// - Parameters:
    ///   - images: A backend over HTTP, which has the bytes of the images, and receives images that are too large for
    ///     the cluster.
    ///   - remote: The address of that backend.
    /// - Throws: `InvalidMessageAPI` and `InvalidCacheRules`, which the tests rule out.
    init(
        through engine: any ClusterEngine,
        images: RemoteDispatcher,
        at remote: URL,
        now: CurrentDate,
        clock: any Clock<Duration>
    ) throws {
        let options = ClusterOptions.feed(at: remote.absoluteString)
        let cluster = try ClusterDispatcher(.cluster(), on: engine, options: options, clock: clock)
        let cache = try QueryCache(in: .memory(limit: .entries(1_000)), now: now.callAsFunction, clock: clock) {
            Cache(LoadTokenHolder.self, .maxAge(ClusterServer.tokenAge), scope: .shared)
        }
        let holders = cluster.with(cache)
        @Sendable func server(_ token: String?) -> ClusterServer {
            ClusterServer(
                cluster: cluster,
                holders: holders,
                images: SenderDispatcher(images, at: remote, sender: SenderToken(token)),
                clock: clock,
                token: token
            )
        }
        self.init(server(nil)) { server($0) }
    }
}

extension Error {
    fileprivate var inDomainTerms: any Error {
        switch self {
        case is TransportError: RemoteFailure.connectivity("\(self)")
        case let error as ClusterError:
            switch error {
            case .unavailable(_, _, let pause):
                RemoteFailure(.connectivity, reason: "\(self)", retryAfter: pause)
            case .behind, .lost, .notHandledInTime, .outcomeUnknown: RemoteFailure.connectivity("\(self)")
            default: RemoteFailure.invalidData("\(self)")
            }
        default: self
        }
    }
}
