/// The reason why bytes are not a complete image.
@nonexhaustive
public enum InvalidImage: Error, Hashable, CustomStringConvertible {
    /// The bytes begin like no format of ``ImageFormat``.
    case unknownFormat

    /// The bytes are a photograph in HEIF, which phones make, and which few browsers show.
    case heic

    /// The bytes end before the image does.
    case incomplete

    /// The structure is damaged; `part` names the faulty part.
    case damaged(part: String)

    /// The width or the height is zero.
    case empty

    /// The image, or the canvas of an animation, has more pixels than ``ImageFile/pixelLimit``.
    case tooManyPixels

    /// An animation has too many frames, or a JPEG too many passes.
    ///
    /// The limits are ``ImageFile/frameLimit`` and ``ImageFile/animationPixelLimit``.
    case tooManyFrames

    /// The fault and the allowed values, as the end of a sentence about the file.
    public var reason: String {
        switch self {
        case .unknownFormat: "must be a JPEG, PNG, GIF or WebP image"
        case .heic:
            """
            must be a JPEG, PNG, GIF or WebP image, not HEIC: export the photograph as JPEG, for example on the phone or \
            with Preview
            """
        case .incomplete: "ends before the image is complete, as after an interrupted copy or upload"
        case .damaged(let part): "is a damaged image: \(part)"
        case .empty: "must be an image with a width and a height of at least one pixel"
        case .tooManyPixels: "must have at most \(ImageFile.pixelLimit / 1_000_000) million pixels"
        case .tooManyFrames:
            """
            must have at most \(ImageFile.frameLimit) frames, with at most \
            \(ImageFile.animationPixelLimit / 1_000_000) million pixels in total
            """
        }
    }

    /// The fault and the allowed values.
    public var description: String { "The file \(reason)." }
}
