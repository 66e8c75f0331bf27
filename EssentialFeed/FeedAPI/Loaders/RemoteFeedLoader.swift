public import Duet
import DuetHTTP
public import FeedFeature

/// Loads a page of the feed from the server.
public struct RemoteFeedLoader: FeedLoader {
    private let server: any QueryDispatcher
    private let query: LoadFeed

    /// Loads the page that `query` asks for from where `server` takes it.
    public init(_ query: LoadFeed, from server: any QueryDispatcher) {
        self.query = query
        self.server = server
    }

    /// Asks the server once.
    ///
    /// - Throws: ``RemoteFailure``, also when the server has the query for wrong; `CancellationError`.
    public func load() async throws -> FeedPage {
        do {
            return try await server.dispatch(query)
        } catch let problem as any HTTPProblem {
            throw RemoteFailure.invalidData("\(problem)")
        }
    }
}
