public import Foundation

/// An image format that every browser supports, detected by a file's first bytes.
///
/// The signatures are those of the WHATWG's MIME Sniffing standard, section 6.1.
public enum ImageFormat: String, CaseIterable, Sendable {
    /// Joint Photographic Experts Group.
    case jpeg
    /// Portable Network Graphics.
    case png
    /// Graphics Interchange Format.
    case gif
    /// WebP.
    case webp

    /// Detects the format of bytes; nil if they are not an image of a known format.
    public init?(data: Data) {
        let found = Self.allCases.first { format in
            switch format {
            case .jpeg: data.starts(with: [0xFF, 0xD8, 0xFF])
            case .png: data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            case .gif: data.starts(with: Array("GIF87a".utf8)) || data.starts(with: Array("GIF89a".utf8))
            case .webp: data.starts(with: Array("RIFF".utf8)) && data.dropFirst(8).starts(with: Array("WEBPVP".utf8))
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// The media type of the bytes.
    public var mediaType: String { "image/\(rawValue)" }
}
