public import Duet
import DuetHTTP
public import FeedFeature
import HTTPTypes

/// Loads a page of the feed from the server.
public struct RemoteFeedLoader: FeedLoader {
    private let server: any QueryDispatcher
    private let query: LoadFeed

    /// Creates a loader that sends `query` to `server`.
    public init(_ query: LoadFeed, from server: any QueryDispatcher) {
        self.query = query
        self.server = server
    }

    /// Loads the page with one request.
    ///
    /// - Throws: ``RemoteFailure``, also when the server objects to the query; `CancellationError`.
    public func load() async throws -> FeedPage {
        do {
            return try await server.dispatch(query)
        } catch {
            throw error.asLoaderFailure
        }
    }
}

extension Error {
    /// This domain error as a loader's error.
    ///
    /// A loader reports no problems: the cache is the next source, whatever the server's objection.
    fileprivate var asLoaderFailure: any Error {
        guard let problem = self as? any HTTPProblem else { return self }
        return RemoteFailure.invalidData("\(problem)", isMissing: [.notFound, .gone].contains(problem.status))
    }
}
