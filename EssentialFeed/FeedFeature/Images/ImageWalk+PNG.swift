import Foundation

/// PNG and its animations: chunks with a length, a name and a checksum (W3C, Portable Network Graphics, third edition).
extension ImageWalk {
    /// The chunks that change how an image is shown.
    private static let needed: Set<ChunkName> = [
        "PLTE", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "pHYs",
    ]

    private struct Known {
        var isAnimation = false
        var hasData = false
    }

    mutating func readPNG() throws(InvalidImage) {
        parts.keep(try reader.read(8))
        var known = Known()
        while true {
            let start = reader.position
            let length = try reader.number(ofBytes: 4, .bigEndian)
            let name = try reader.name()
            guard name.isLetters else { throw .damaged(part: "the name of a chunk") }
            let content = try reader.read(length)
            try reader.read(4)
            let chunk = start..<reader.position
            guard size.width > 0 || name == "IHDR" else { throw .damaged(part: "its size is missing") }
            if name == "IEND" {
                guard length == 0 else { throw .damaged(part: "the end of the image") }
                guard known.hasData else { throw .damaged(part: "it has no pixels") }
                parts.keep(chunk)
                return finish()
            }
            try read(name, content, in: chunk, &known)
        }
    }

    private mutating func read(
        _ name: ChunkName,
        _ content: Range<Int>,
        in chunk: Range<Int>,
        _ known: inout Known
    ) throws(InvalidImage) {
        switch name {
        case "IHDR":
            guard size.width == 0, content.count == 13 else { throw .damaged(part: "the header of the image") }
            var header = ByteReader(bytes, in: content)
            let (width, height) = try header.pair(ofBytes: 4, .bigEndian)
            try setSize(width: width, height: height)
            parts.keep(chunk)
        case "IDAT":
            known.hasData = known.hasData || !content.isEmpty
            parts.keep(chunk)
        case "acTL" where !known.hasData && !known.isAnimation && content.count == 8:
            known.isAnimation = true
            parts.keep(chunk)
        case "fcTL" where known.isAnimation:
            try countFrame()
            try checkFrame(content)
            parts.keep(chunk)
        case "fdAT" where known.isAnimation:
            parts.keep(chunk)
        case _ where Self.needed.contains(name):
            if name == "iCCP" { hasColorProfile = true }
            parts.keep(chunk)
        default:
            readMetadata(name, content, in: chunk)
        }
    }

    private mutating func readMetadata(_ name: ChunkName, _ content: Range<Int>, in chunk: Range<Int>) {
        switch name {
        case "eXIf":
            guard let exif = reduceEXIF(bytes[content]) else { return }
            guard !bytes[content].elementsEqual(exif) else { return parts.keep(chunk) }
            let named = name.bytes + exif
            parts.write(UInt32(truncatingIfNeeded: exif.count).bigEndianBytes + named + CRC32.of(named).bigEndianBytes)
        case "iTXt" where bytes[content].begins(with: "XML:com.adobe.xmp\0"):
            leaveOutXMP(content)
        case "tEXt", "zTXt", "iTXt":
            leaveOut(.text)
        default:
            leaveOut(.other)
        }
    }

    /// Checks that a frame of an animation is within the canvas.
    private func checkFrame(_ content: Range<Int>) throws(InvalidImage) {
        var frame = ByteReader(bytes, in: content)
        guard content.count == 26 else { throw .damaged(part: "the header of a frame") }
        try frame.read(4)
        let (width, height) = try frame.pair(ofBytes: 4, .bigEndian)
        let (left, top) = try frame.pair(ofBytes: 4, .bigEndian)
        try checkFrame(width: width, height: height, left: left, top: top)
    }

    /// Checks that a frame of an animation has pixels and is within the canvas.
    ///
    /// - Throws: `InvalidImage.empty` or `.damaged`.
    func checkFrame(width: Int, height: Int, left: Int, top: Int) throws(InvalidImage) {
        guard width > 0, height > 0 else { throw .empty }
        guard left >= 0, top >= 0, width <= size.width, left <= size.width - width,
            height <= size.height, top <= size.height - height
        else { throw .damaged(part: "a frame is outside of the canvas") }
    }
}

/// The checksum of a PNG's chunk: CRC-32 (ISO 3309), bit by bit, because only few bytes are written.
enum CRC32 {
    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }
}
