import Duet
import FeedFeature
import Foundation
import Hummingbird
import Logging

extension FeedPages {
    /// Responds with the bytes of an image whose id this server knows.
    func imageData(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try Self.imageID(context)
        let data: Data
        do {
            guard let image = try await image(id) else { throw HTTPError(.notFound) }
            data = try await dispatcher.dispatch(LoadImageData(url: image.url))
        } catch let error as HTTPError {
            throw error
        } catch {
            logger.error("The image \(id) could not be loaded: \(error)")
            throw HTTPError(.init(for: error))
        }
        guard let format = ImageFormat(data: data) else {
            logger.error("The bytes of the image \(id) are not an image")
            throw HTTPError(.badGateway)
        }
        return Response(
            status: .ok,
            headers: [.contentType: format.mediaType, .cacheControl: "private, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }

    /// Returns the image with an id, or nil if this server has neither delivered nor cached it.
    ///
    /// An image's URL comes only from the feed, so a request cannot make this server load anything else. The backend is
    /// not asked about an unknown id, because anybody can invent ids.
    func image(_ id: FeedImage.ID) async throws -> FeedImage? {
        if let image = images[id] { return image }
        // A page that was open before this server started shows images of the cached feed.
        try await images.restore { [dispatcher] in
            try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? []
        }
        return images[id]
    }

    static func imageID(_ context: some RequestContext) throws -> FeedImage.ID {
        guard let id = context.parameters.get("id", as: UUID.self) else { throw HTTPError(.notFound) }
        return id
    }
}
