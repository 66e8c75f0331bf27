package import FeedFeature
package import Foundation

/// Creates the URLs of the images' bytes, based on the backend's public address or on the host of the request.
package struct ImageLinks: Sendable {
    private static let path = "/v1/image/"

    private let prefix: String

    /// - Parameter base: The beginning of the URLs, with or without a trailing slash.
    package init(base: String) {
        var base = base[...]
        while base.last == "/" { base.removeLast() }
        prefix = base + Self.path
    }

    /// Returns the URL of an image's bytes.
    ///
    /// - Parameters:
    ///   - width: The width of the version; nil for the original.
    ///   - hash: The beginning of the hash of the bytes, so that other bytes have another URL; nil if it is unknown.
    /// - Throws: `InvalidMessage` when the request's host cannot be part of a URL.
    package func url(of image: FeedImage.ID, width: Int? = nil, hash: String? = nil) throws -> URL {
        var path = image.uuidString
        if let width { path += "?width=\(width)" }
        if let hash { path += "\(width == nil ? "?" : "&")hash=\(hash)" }
        return try url(path)
    }

    /// Returns the URL that has the same path below this base as another URL has below its own.
    ///
    /// - Throws: `InvalidMessage` when the request's host cannot be part of a URL.
    package func url(replacing other: URL) throws -> URL {
        guard let path = other.absoluteString.range(of: Self.path) else { return other }
        return try url(String(other.absoluteString[path.upperBound...]))
    }

    private func url(_ path: String) throws -> URL {
        guard let url = URL(string: prefix + path) else {
            throw InvalidMessage(field: "The Host field", reason: "must hold a host name, with or without a port")
        }
        return url
    }
}
