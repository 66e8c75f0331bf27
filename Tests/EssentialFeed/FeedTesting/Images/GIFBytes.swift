public import Foundation

/// Builds GIF files, block by block.
///
/// Browsers can decode the default one: a white pixel.
public enum GIFBytes {
    /// Returns a file with blocks between its header and its end, and bytes after its end.
    public static func file(
        width: Int = 1,
        height: Int = 1,
        _ blocks: [[UInt8]] = [image()],
        trailing: [UInt8] = []
    ) -> Data {
        let size = number(width) + number(height)
        let colors: [UInt8] = [0, 0, 0, 0xFF, 0xFF, 0xFF]
        return Data(Array("GIF89a".utf8) + size + [0x80, 0, 0] + colors + blocks.joined() + [0x3B] + trailing)
    }

    /// Returns an image of one pixel, white or else black, at a place.
    public static func image(
        left: Int = 0,
        top: Int = 0,
        width: Int = 1,
        height: Int = 1,
        isWhite: Bool = true
    ) -> [UInt8] {
        [0x2C] + [left, top, width, height].flatMap(number) + [0, 2, 2, isWhite ? 0x4C : 0x44, 0x01, 0]
    }

    /// Returns an extension with blocks of data.
    public static func block(_ label: UInt8, _ blocks: [[UInt8]]) -> [UInt8] {
        [0x21, label] + blocks.flatMap { [UInt8($0.count)] + $0 } + [0]
    }

    /// Returns an extension of an application, whose name has eleven bytes.
    public static func application(_ name: String, _ blocks: [[UInt8]]) -> [UInt8] {
        block(0xFF, [Array(name.utf8)] + blocks)
    }

    /// The control of an image: shown for a tenth of a second.
    public static let control = block(0xF9, [[0, 10, 0, 0]])

    /// The extension that repeats an animation forever.
    public static let loop = application("NETSCAPE2.0", [[1, 0, 0]])

    private static func number(_ number: Int) -> [UInt8] { UInt16(truncatingIfNeeded: number).bytes.reversed() }
}
