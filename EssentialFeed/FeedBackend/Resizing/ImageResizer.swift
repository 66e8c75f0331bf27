package import FeedFeature
package import Foundation

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
        /// The largest width and height, in pixels: those of a WebP (RFC 6386, section 9.1) less one, because libvips
        /// may round in another way.
        static let sizeLimit = 16_382

        package let size: ImageSize
        package let data: Data

        package init(size: ImageSize, data: Data) {
            self.size = size
            self.data = data
        }
    }

    /// The widths of all versions, in pixels.
    package static let widths = [480, 960, 1_920]

    /// Returns the sizes of an image's versions, the narrowest first.
    static func sizes(for image: ImageFile) -> [ImageSize] {
        let size = image.shownSize
        let sizes = widths.filter { $0 < size.width }.compactMap(size.scaled)
            .filter { $0.height <= Version.sizeLimit }
        guard sizes.isEmpty, image.isAnimated else { return sizes }
        let widest = size.height > Version.sizeLimit ? size.width * Version.sizeLimit / size.height : size.width
        return [size.scaled(toWidth: widest)].compactMap(\.self)
    }

    /// The versions that are narrower than the image, the narrowest first.
    ///
    /// An animation without them has one still version of its first frame, as large as a WebP can be: without it, pages
    /// would show no picture before a reader plays the animation.
    package let versions: [Version]

    /// The average color on a white background, to show while the image is loading.
    package let color: ImageColor

    package init(versions: [Version], color: ImageColor) {
        self.versions = versions
        self.color = color
    }
}

extension ImageSize {
    /// Returns the size with this width and the same ratio; nil without a pixel.
    fileprivate func scaled(toWidth width: Int) -> ImageSize? {
        ImageSize(width: width, height: max(1, Int((Double(height) * Double(width) / Double(self.width)).rounded())))
    }
}
