import Duet
package import DuetCluster
import DuetContext
import DuetHTTP
import FeedAPI
package import FeedBackend
import FeedFeature
import Foundation

extension ClusterMessage {
    /// The messages that a cluster carries, in the same form in which HTTP carries them.
    ///
    /// The bytes of images stay on HTTP, because a cluster carries small messages. All commands that concern one image
    /// have its id as their key.
    ///
    /// - Parameter images: The addresses of the images for the node that asks. A node that answers needs none.
    @ListBuilder<ClusterMessage>
    package static func feed(images: ImageLinks = ImageLinks(base: "http://localhost")) -> [ClusterMessage] {
        LoadFeed.carried { page in
            FeedPage(images: try page.images.map { try $0.linked(by: images) }, source: page.source)
        }
        SearchFeed.carried { page in
            FeedSearchPage(
                images: try page.images.map { found in
                    FoundImage(
                        try found.image.linked(by: images),
                        publishedAt: found.publishedAt,
                        commentCount: found.commentCount
                    )
                },
                source: page.source
            )
        }
        LoadNewestImage.carried()
        LoadRemovedImages.carried()
        LoadImageComments.carried()
        LoadPermissions.carried()
        LoadTokenHolder.carried(
            as: CarriedHolder?.self,
            from: { holder, _ in holder.map(CarriedHolder.init) },
            to: { holder, _ in holder.map { Principal(id: $0.id, scopes: $0.scopes) } }
        )
        PostImageComment.ordered(by: \.imageID)
        PublishImage.ordered(by: \.id)
        RemoveImage.ordered(by: \.id)
    }
}

/// The holder of a token, as the cluster carries it.
private struct CarriedHolder: Codable {
    let id: String
    let scopes: Set<String>

    init(_ principal: Principal) {
        id = principal.id
        scopes = principal.scopes
    }
}

extension HTTPQuery where Self: Codable {
    /// Lists this query with the payload that it has over HTTP.
    ///
    /// - Parameter adapt: Changes a value on the node that asks.
    fileprivate static func carried(
        _ adapt: @escaping @Sendable (Value) throws -> Value = { $0 }
    ) -> ClusterMessage {
        carried(
            as: Payload.self,
            from: { try payload(from: $0, answering: $1) },
            to: { try adapt(try value(from: $0, answering: $1)) }
        )
    }
}

extension FeedImage {
    /// This image with its address at another server.
    fileprivate func linked(by links: ImageLinks) throws -> FeedImage {
        FeedImage(id: id, description: description, location: location, url: try links.url(of: id))
    }
}
