/// A kind of data in an image file that is not needed to show the image, and may tell something about a person.
public enum ImageMetadata: String, CaseIterable, Codable, Sendable {
    /// The place where a photograph was taken.
    case location
    /// The camera, the time and the owner (EXIF).
    case exif
    /// Descriptions and the history of editing (XMP).
    case xmp
    /// Descriptions and rights for the press (IPTC, and other data of image editors).
    case iptc
    /// Comments and other texts.
    case text
    /// A small version of the image, which may show what was cut off later, or a second image.
    case preview
    /// Bytes after the end of the image, such as the video of a motion photo.
    case trailing
    /// Anything else, such as data of one maker's programs.
    case other
}
