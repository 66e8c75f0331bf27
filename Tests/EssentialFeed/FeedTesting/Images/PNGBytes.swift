public import Foundation

/// Builds PNG files, chunk by chunk.
///
/// Browsers can decode the default one: a black pixel.
public enum PNGBytes {
    /// Returns a file with chunks before and after its pixels, and bytes after its end.
    public static func file(
        width: Int = 1,
        height: Int = 1,
        _ chunks: [[UInt8]] = [],
        later: [[UInt8]] = [],
        trailing: [UInt8] = []
    ) -> Data {
        let size = UInt32(truncatingIfNeeded: width).bytes + UInt32(truncatingIfNeeded: height).bytes
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += chunk("IHDR", size + [8, 0, 0, 0, 0]) + chunks.joined()
        bytes += chunk("IDAT", pixel)
        return Data(bytes + later.joined() + chunk("IEND") + trailing)
    }

    /// Returns a chunk with its length, name and checksum.
    public static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
        let named = Array(name.utf8) + content
        return UInt32(content.count).bytes + named + checksum(named).bytes
    }

    /// Returns the header of a frame of an animation.
    public static func frame(_ number: Int, width: Int = 1, height: Int = 1, left: Int = 0, top: Int = 0) -> [UInt8] {
        let numbers = [number, width, height, left, top].flatMap { UInt32(truncatingIfNeeded: $0).bytes }
        return chunk("fcTL", numbers + [0, 1, 0, 10, 0, 0])
    }

    /// A black pixel, in a stored block of zlib's format.
    public static let pixel: [UInt8] = [0x78, 0x01, 1, 2, 0, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1]

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
