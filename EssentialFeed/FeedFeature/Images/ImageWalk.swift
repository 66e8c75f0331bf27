import Foundation

/// A walk through the structure of an image file, from its first byte to its last.
///
/// Each format has its own extension. They keep what is on a list, and leave out everything else.
struct ImageWalk {
    var reader: ByteReader
    var parts = ImageParts()
    private(set) var size = (width: 0, height: 0)
    private(set) var metadata: Set<ImageMetadata> = []
    var hasColorProfile = false
    private var pixels = 0
    /// The frames, or the passes of a progressive JPEG.
    private(set) var frames = 0
    private var hasOrientation = false
    /// Whether the image is shown turned by a quarter, so that its width is its height.
    var isTurned = false

    init(_ bytes: Data) {
        reader = ByteReader(bytes)
    }

    var bytes: Data { reader.bytes }

    /// Sets the size of the image or the canvas.
    ///
    /// - Throws: `InvalidImage.empty` or `.tooManyPixels`.
    mutating func setSize(width: Int, height: Int) throws(InvalidImage) {
        guard width > 0, height > 0 else { throw .empty }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= ImageFile.pixelLimit else { throw .tooManyPixels }
        self.pixels = pixels
        size = (width, height)
    }

    /// Counts a frame of an animation, or a pass of a progressive JPEG.
    ///
    /// - Throws: `InvalidImage.tooManyFrames`.
    mutating func countFrame() throws(InvalidImage) {
        frames += 1
        // Both factors are within their limits, so the product is, too.
        guard frames <= ImageFile.frameLimit, frames * pixels <= ImageFile.animationPixelLimit else {
            throw .tooManyFrames
        }
    }

    var hasFrames: Bool { frames > 0 }

    mutating func leaveOut(_ kind: ImageMetadata) {
        metadata.insert(kind)
    }

    /// Leaves out XMP, which may contain a place.
    mutating func leaveOutXMP(_ content: Range<Int>) {
        metadata.insert(.xmp)
        if bytes[content].contains("GPSL") { metadata.insert(.location) }
    }

    /// Leaves out everything but the orientation of a block of EXIF.
    ///
    /// Only the first block counts, as in browsers.
    ///
    /// - Returns: The block to write in its place; nil for none.
    mutating func reduceEXIF(_ content: Data) -> [UInt8]? {
        let exif = EXIF(content)
        if !hasOrientation { isTurned = exif.orientation.map { $0 >= 5 } ?? false }
        let orientation = hasOrientation ? nil : exif.orientation.map(EXIF.block)
        hasOrientation = true
        guard orientation.map({ content.elementsEqual($0) }) != true else { return orientation }
        metadata.insert(.exif)
        if exif.hasLocation { metadata.insert(.location) }
        if exif.hasPreview { metadata.insert(.preview) }
        return orientation
    }

    /// Ends the walk; the remaining bytes are no part of the image.
    mutating func finish() {
        if reader.remaining > 0 { metadata.insert(.trailing) }
    }
}
