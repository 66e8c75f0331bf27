package import Duet
import FeedAPI
import FeedBackend
import FeedFeature

extension MessageAPI {
    /// The messages of the feed on a cluster, whose nodes also ask for the holder of a token.
    ///
    /// - Parameter closedComments: Whether posting a comment requires a permission.
    package static func cluster(closedComments: Bool = false) -> MessageAPI {
        MessageAPI("feed") {
            MessageAPI.feed(closedComments: closedComments)
            LoadTokenHolder.authorized(.nodes).not(over: .http)
        }
    }
}

extension Dispatcher {
    /// Returns this dispatcher of a cluster with the addresses of a server that has the bytes of the images.
    func linkingImages(_ links: ImageLinks) -> some Dispatcher {
        let linked = { @Sendable (image: FeedImage) in try image.mapURLs(links.url(replacing:)) }
        return intercepting(LoadFeed.self) { query, next in
            let page = try await next.dispatch(query)
            return FeedPage(images: try page.images.map(linked), source: page.source)
        }
        .intercepting(SearchFeed.self) { query, next in
            let page = try await next.dispatch(query)
            return FeedSearchPage(images: try page.images.map(linked), source: page.source)
        }
        .intercepting(LoadImageDetails.self) { query, next in try linked(await next.dispatch(query)) }
    }
}
