import Duet
import FeedFeature
import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// `GET`, `PUT` and `DELETE /v1/image/{id}`.
struct ImageRoutes {
    /// How large an image may be: 16 MiB.
    static let limit = 16_777_216

    func add(to router: Router<ScopedRequestContext>) {
        router.get("/v1/image/:id") { request, context in
            try await show(request, context)
        }
        router.put("/v1/image/:id") { request, context in
            try await publish(request, context)
        }
        router.delete("/v1/image/:id") { _, context in
            try await context.dispatcher.dispatch(RemoveImage(id: context.imageID))
            return Response(status: .noContent)
        }
    }

    private func show(_ request: Request, _ context: ScopedRequestContext) async throws -> Response {
        let image = try await context.dispatcher.dispatch(LoadPublishedImageData(id: context.imageID))
        let tag = "\"\(String(image.checksum, radix: 16))\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "public, max-age=86400"]
        if request.headers[.ifNoneMatch]?.namesTag(tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = image.format.mediaType
        headers[.xContentTypeOptions] = "nosniff"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.data)))
    }

    /// Publishes the image in the request's body.
    ///
    /// A command returns nothing, so whether the answer is 201 or 204 is asked of a query beforehand: two requests
    /// at the same moment may both be told 201, and there is one image nevertheless.
    private func publish(_ request: Request, _ context: ScopedRequestContext) async throws -> Response {
        let id = try context.imageID
        let query = try QueryString(of: request)
        let (description, location) = (try query["description"], try query["location"])
        let declared = request.mediaType
        guard let format = ImageFormat.allCases.first(where: { $0.mediaType == declared }) else {
            let types = ImageFormat.allCases.map(\.mediaType).joined(separator: ", ")
            throw Problem(.unsupportedMediaType, "The Content-Type must be one of \(types).")
        }
        let data = Data(try await request.wholeBody(upTo: Self.limit).readableBytesView)
        guard ImageFormat(data: data) == format else {
            throw Problem(.unsupportedMediaType, "The body is not what its Content-Type says, \(format.mediaType).")
        }
        let isRepeated = try await context.dispatcher.dispatch(IsImagePublished(id: id))
        try await context.dispatcher.dispatch(
            PublishImage(id: id, description: description?.orNil, location: location?.orNil, data: data)
        )
        return Response(status: isRepeated ? .noContent : .created)
    }
}

extension String {
    /// An empty parameter says as little as one that is not there.
    fileprivate var orNil: String? { isEmpty ? nil : self }

    /// Whether an `If-None-Match` field names an entity tag, by the weak comparison (RFC 9110, 13.1.2).
    fileprivate func namesTag(_ tag: String) -> Bool {
        split(separator: ",").contains { candidate in
            let candidate = candidate.trimmingCharacters(in: .whitespaces)
            return candidate == "*" || candidate == tag || candidate == "W/\(tag)"
        }
    }
}
