import Duet
import FeedFeature

extension InterceptingMiddleware<SearchFeed> {
    /// Searches within a saved feed when the server fails, and adds the failure to the page.
    ///
    /// This layer is outside of the query cache, which therefore keeps only results from the server. A later page that
    /// fails does not use the saved feed, because the list on the screen has results from the server already.
    static func searchingOffline(in local: any FeedLoader, report: @escaping FailureReport) -> Self {
        InterceptingMiddleware(SearchFeed.self) { query, next in
            do {
                return try await next.dispatch(query)
            } catch let failure as RemoteFailure where query.page == nil {
                let feed = try await local.load(insteadOf: failure, report: report)
                return query.results(in: feed)
            }
        }
    }
}

extension InterceptingMiddleware<LoadNeighbors> {
    /// Finds the images beside one in a saved feed when the server fails; none in an expired one.
    static func findingNeighborsOffline(in local: any FeedLoader, report: @escaping FailureReport) -> Self {
        InterceptingMiddleware(LoadNeighbors.self) { query, next in
            do {
                return try await next.dispatch(query)
            } catch let failure as RemoteFailure {
                let feed = try await local.load(insteadOf: failure, report: report)
                return ImageNeighbors(of: query.id, in: feed.images.map(\.id))
            }
        }
    }
}
