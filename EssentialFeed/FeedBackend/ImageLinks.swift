import FeedFeature
import Foundation

/// Makes the URLs under which clients find the images' bytes: the backend's public address, or the one that a request names.
package struct ImageLinks: Sendable {
    private let prefix: String

    /// - Parameter base: What the URLs begin with, with or without a slash at its end.
    package init(base: String) {
        var base = base[...]
        while base.last == "/" { base.removeLast() }
        prefix = base + "/v1/image/"
    }

    /// - Throws: `InvalidMessage` when no URL begins with the host that the request names.
    func url(of image: FeedImage.ID) throws -> URL {
        guard let url = URL(string: prefix + image.uuidString) else {
            throw InvalidMessage(field: "The Host field", reason: "must hold a host name, with or without a port")
        }
        return url
    }
}
