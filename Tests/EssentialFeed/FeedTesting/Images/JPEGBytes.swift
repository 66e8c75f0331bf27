public import Foundation

/// Builds JPEG files, segment by segment.
///
/// Browsers can decode them: they are gray.
public enum JPEGBytes {
    /// Returns a file with segments after its start, and bytes after its end.
    ///
    /// - Parameters:
    ///   - frame: The marker of the frame's header.
    ///   - components: The numbers of the components; 1 for gray.
    ///   - scan: The compressed data; by default that of a gray image.
    ///   - later: Segments between the scan and the end.
    public static func file(
        width: Int = 8,
        height: Int = 8,
        _ segments: [[UInt8]] = [],
        frame: UInt8 = 0xC0,
        components: [UInt8] = [1],
        scan: [UInt8]? = nil,
        later: [[UInt8]] = [],
        trailing: [UInt8] = []
    ) -> Data {
        let size = UInt16(truncatingIfNeeded: height).bytes + UInt16(truncatingIfNeeded: width).bytes
        let count = UInt8(components.count)
        let header = [8] + size + [count] + components.flatMap { [$0, 0x11, 0] }
        var bytes: [UInt8] = [0xFF, 0xD8] + segments.joined()
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes += segment(frame, header)
        // One code of one bit, for "nothing changes".
        for table: UInt8 in [0x00, 0x10] { bytes += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 16)) }
        bytes += Self.scan(of: components, scan ?? gray(width: width, height: height, components: components.count))
        return Data(bytes + later.joined() + [0xFF, 0xD9] + trailing)
    }

    /// Returns a segment with its marker and length.
    public static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + UInt16(truncatingIfNeeded: content.count + 2).bytes + content
    }

    /// Returns a segment whose content begins with a name.
    public static func segment(_ marker: UInt8, _ name: String, _ content: [UInt8] = []) -> [UInt8] {
        segment(marker, Array(name.utf8) + content)
    }

    /// Returns the header of a scan and its compressed data.
    public static func scan(of components: [UInt8] = [1], _ data: [UInt8]) -> [UInt8] {
        segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0] } + [0, 63, 0]) + data
    }

    private static func gray(width: Int, height: Int, components: Int) -> [UInt8] {
        // Two bits for each block of 8 × 8 pixels; a limit for tests of sizes.
        let bits = min(2 * ((width + 7) / 8) * ((height + 7) / 8) * components, 1_024)
        return [UInt8](repeating: 0, count: max(1, bits / 8))
    }
}

extension Data {
    /// A small image without metadata.
    public static let tinyImage = JPEGBytes.file()

    /// Returns an image without metadata, as large as a test needs it, but no smaller than ``tinyImage``.
    public static func image(ofSize size: Int) -> Data {
        JPEGBytes.file(scan: [UInt8](repeating: 0, count: Swift.max(1, size - tinyImage.count + 1)))
    }
}

extension FixedWidthInteger {
    /// The bytes, the most significant one first.
    public var bytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
