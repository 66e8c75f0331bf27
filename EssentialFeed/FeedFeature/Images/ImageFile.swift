public import Foundation

/// A file with a complete image, checked by its structure; pixels are not decoded.
///
/// Checking takes time linear in the number of bytes, whatever they are.
public struct ImageFile: Sendable {
    /// The largest number of pixels of an image, or of the canvas of an animated one.
    public static let pixelLimit = 100_000_000

    /// The largest number of pixels of all frames of an animation, or of all passes of a progressive JPEG.
    public static let animationPixelLimit = 5_000_000_000

    /// The largest number of frames of an animation, or of passes of a progressive JPEG.
    public static let frameLimit = 10_000

    /// The format of the bytes.
    public let format: ImageFormat

    /// The width in pixels, before the image is turned by its orientation; of an animation, the width of its canvas.
    public let width: Int

    /// The height in pixels, measured as ``width``.
    public let height: Int

    /// The size in pixels as the image is shown, after it is turned by its orientation.
    public let shownSize: ImageSize

    /// Whether the image moves: a GIF, PNG or WebP with more than one frame.
    public let isAnimated: Bool

    /// Whether the file has an ICC profile; colors without one are those of sRGB.
    public let hasColorProfile: Bool

    /// The metadata that ``withoutMetadata`` lacks.
    public let metadata: Set<ImageMetadata>

    private let original: Data
    private let parts: ImageParts

    /// Checks the structure of a file from its first to its last byte.
    ///
    /// - Throws: ``InvalidImage``.
    public init(_ data: Data) throws(InvalidImage) {
        guard let format = ImageFormat(data: data) else { throw data.isHEIC ? .heic : .unknownFormat }
        original = data
        var walk = ImageWalk(data)
        switch format {
        case .jpeg: try walk.readJPEG()
        case .png: try walk.readPNG()
        case .gif: try walk.readGIF()
        case .webp: try walk.readWebP()
        }
        self.format = format
        (width, height) = walk.size
        shownSize = walk.isTurned ? ImageSize(height, width) : ImageSize(width, height)
        isAnimated = format != .jpeg && walk.frames > 1
        hasColorProfile = walk.hasColorProfile
        metadata = walk.metadata
        parts = walk.parts
    }

    /// The file without metadata: what is needed to show the image, and nothing else.
    ///
    /// Kept are pixels, colors, animation and, for an image that must be turned, an EXIF block with the orientation
    /// alone. Everything unknown is left out.
    public var withoutMetadata: Data {
        parts.isWhole(of: original) ? original : parts.joined(from: original)
    }
}

extension Data {
    /// Whether it begins as a picture in HEIF (ISO/IEC 23008-12, annexes B to D), but not in AVIF.
    fileprivate var isHEIC: Bool {
        let brand = String(decoding: dropFirst(8).prefix(4), as: UTF8.self)
        return dropFirst(4).starts(with: Array("ftyp".utf8))
            && ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"].contains(brand)
    }
}
