package import FeedFeature
package import Foundation

/// Makes smaller versions of images.
package protocol ImageResizer: Sendable {
    /// Makes the versions of an image, and finds its average color.
    ///
    /// - Throws: ``ImageResizingError``, or `CancellationError`.
    func resize(_ image: ImageFile) async throws -> ResizedImage
}

/// The smaller versions of an image, and its average color.
package struct ResizedImage: Hashable, Sendable {
    /// A still WebP, upright, in sRGB and without metadata.
    package struct Version: Hashable, Sendable {
        /// The largest width and height of a WebP, in pixels (RFC 6386, section 9.1).
        static let sizeLimit = 16_383

        package let size: ImageSize
        package let data: Data

        package init(size: ImageSize, data: Data) {
            self.size = size
            self.data = data
        }
    }

    /// The widths of all versions, in pixels.
    package static let widths = [480, 960, 1_920]

    /// Returns the widths of an image's versions, the narrowest first.
    static func widths(for image: ImageFile) -> [Int] {
        let narrower = widths.filter { $0 < image.shownSize.width }
        return narrower.isEmpty && image.isAnimated ? [image.shownSize.width] : narrower
    }

    /// The versions that are narrower than the image, the narrowest first.
    ///
    /// An animation that is narrower than all of them has a still version with its width.
    package let versions: [Version]

    /// The average color on a white background, to show while the image is loading.
    package let color: ImageColor

    package init(versions: [Version], color: ImageColor) {
        self.versions = versions
        self.color = color
    }
}
