package import Duet
import DuetHTTP
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

/// Gives the images that come through a cluster the addresses of a server that has their bytes.
struct ImageLinking: Middleware {
    let links: ImageLinks

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let value = try await next.dispatch(message)
        let other: Any =
            switch value {
            case let page as FeedPage: FeedPage(images: try page.images.map(linked), source: page.source)
            case let page as FeedSearchPage: FeedSearchPage(images: try page.images.map(linked), source: page.source)
            case let image as FeedImage: try linked(image)
            default: value
            }
        return other as? M.Value ?? value
    }

    private func linked(_ image: FeedImage) throws -> FeedImage { try image.mapURLs(links.url(replacing:)) }
}
