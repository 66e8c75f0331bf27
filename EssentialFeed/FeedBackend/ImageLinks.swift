import FeedFeature
import Foundation

/// Creates the URLs of the images' bytes, based on the backend's public address or on the host of the request.
package struct ImageLinks: Sendable {
    private let prefix: String

    /// - Parameter base: The beginning of the URLs, with or without a trailing slash.
    package init(base: String) {
        var base = base[...]
        while base.last == "/" { base.removeLast() }
        prefix = base + "/v1/image/"
    }

    /// - Throws: `InvalidMessage` when the request's host cannot be part of a URL.
    func url(of image: FeedImage.ID) throws -> URL {
        guard let url = URL(string: prefix + image.uuidString) else {
            throw InvalidMessage(field: "The Host field", reason: "must hold a host name, with or without a port")
        }
        return url
    }
}
