public import Foundation

/// Builds WebP files, chunk by chunk.
///
/// Browsers can decode those of one pixel.
public enum WebPBytes {
    /// Returns a file of chunks, and bytes after its end.
    public static func file(_ chunks: [[UInt8]] = [lossless()], trailing: [UInt8] = []) -> Data {
        let content = Array("WEBP".utf8) + chunks.joined()
        return Data(Array("RIFF".utf8) + number(content.count, bytes: 4) + content + trailing)
    }

    /// Returns a chunk with its name and length.
    public static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let end: [UInt8] = content.count % 2 == 1 ? [0] : []
        return Array(name.utf8) + number(content.count, bytes: 4) + content + end
    }

    /// Returns the header of an extended file.
    public static func header(_ flags: UInt8, width: Int = 1, height: Int = 1) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + number(width - 1, bytes: 3) + number(height - 1, bytes: 3))
    }

    /// Returns an image that was compressed without loss; its pixels are those of one pixel.
    public static func lossless(width: Int = 1, height: Int = 1) -> [UInt8] {
        let pixels: [UInt8] = [0x07, 0x50, 0x8F, 0x22, 0xD7, 0xA3, 0xFF, 0x81, 0x88, 0xE8, 0x7F, 0x00]
        return chunk("VP8L", [0x2F] + number((height - 1) << 14 | (width - 1), bytes: 4) + pixels)
    }

    /// Returns an image that was compressed with loss; its pixels are those of one pixel.
    public static func lossy(width: Int = 1, height: Int = 1) -> [UInt8] {
        let pixels: [UInt8] = [
            0x02, 0xC0, 0x4C, 0x25, 0xA0, 0x02, 0x74, 0xBA, 0x00, 0x03, 0x98, 0x00, 0xFE, 0xED, 0x90, 0x3F, 0x88, 0x5D,
            0xEC, 0x6D, 0xBF, 0xFC, 0xF4, 0xCF, 0xEB, 0x6F, 0xE3, 0xFF, 0x19, 0x00, 0x00, 0x00,
        ]
        let size = number(width, bytes: 2) + number(height, bytes: 2)
        return chunk("VP8 ", [0x90, 0x01, 0x00, 0x9D, 0x01, 0x2A] + size + pixels)
    }

    /// The header of an animation that is repeated forever.
    public static let animation = chunk("ANIM", [0, 0, 0, 0, 0, 0])

    /// Returns a frame of an animation, with chunks in it.
    public static func frame(_ chunks: [[UInt8]] = [lossless()], width: Int = 1, height: Int = 1) -> [UInt8] {
        let size = number(width - 1, bytes: 3) + number(height - 1, bytes: 3)
        return chunk("ANMF", [0, 0, 0, 0, 0, 0] + size + [100, 0, 0, 0] + chunks.joined())
    }

    private static func number(_ number: Int, bytes count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
