import Duet
import FeedFeature
import Foundation
import Hummingbird
import Logging

extension FeedPages {
    /// The bytes of an image that this server has delivered.
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
            logger.error("The bytes of the image \(id) are no image")
            throw HTTPError(.badGateway)
        }
        return Response(
            status: .ok,
            headers: [.contentType: format.mediaType, .cacheControl: "private, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }

    /// The image of an id.
    ///
    /// Where it is comes from the feed alone: a request cannot make this server load anything else.
    func image(_ id: FeedImage.ID) async throws -> FeedImage? {
        if let image = images[id] { return image }
        // A page that was open when this server started asks for images which it has not delivered itself.
        _ = try await loadFeed()
        return images[id]
    }

    static func imageID(_ context: some RequestContext) throws -> FeedImage.ID {
        guard let id = context.parameters.get("id", as: UUID.self) else { throw HTTPError(.notFound) }
        return id
    }
}
