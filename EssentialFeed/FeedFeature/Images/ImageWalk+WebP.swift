import Foundation

/// WebP: chunks of a RIFF file, and chunks within the frames of an animation (RFC 9649).
extension ImageWalk {
    private struct Known {
        /// Chunks that are kept only once.
        static let single: Set<ChunkName> = ["ALPH", "ICCP", "ANIM"]

        var isExtended = false
        var isAnimation = false
        var flags: UInt8 = 0
        /// The chunks of ``single`` that occurred.
        var names: Set<ChunkName> = []
        var hasPixels = false
    }

    private enum Flag {
        static let animation: UInt8 = 0x02
        static let xmp: UInt8 = 0x04
        static let exif: UInt8 = 0x08
        static let alpha: UInt8 = 0x10
        static let colors: UInt8 = 0x20
    }

    private struct Chunk {
        let name: ChunkName
        let content: Range<Int>
        /// The name, the length, the content, and a byte that makes the length even.
        let whole: Range<Int>
    }

    mutating func readWebP() throws(InvalidImage) {
        try reader.read(4)
        let length = try reader.number(ofBytes: 4, .littleEndian)
        var file = ByteReader(bytes, in: try reader.read(length))
        try file.read(4)
        let start = file.position
        var known = Known()
        // The header of an extended file, which is written when it is known what is kept.
        var header: Range<Int>?
        while file.remaining > 0 {
            let chunk = try Self.chunk(&file)
            if chunk.name == "VP8X", chunk.whole.lowerBound == start {
                header = chunk.content
                try readHeader(chunk.content, &known)
            } else {
                try read(chunk, &known)
            }
        }
        guard known.hasPixels else { throw .damaged(part: "it has no pixels") }
        writeWebP(header: header, flags: known.flags)
        finish()
    }

    private static func chunk(_ reader: inout ByteReader) throws(InvalidImage) -> Chunk {
        let start = reader.position
        let name = try reader.name()
        let length = try reader.number(ofBytes: 4, .littleEndian)
        let content = try reader.read(length)
        // Some programs leave out the last byte of the file.
        if length % 2 == 1, reader.remaining > 0 { try reader.read(1) }
        return Chunk(name: name, content: content, whole: start..<reader.position)
    }

    private mutating func readHeader(_ content: Range<Int>, _ known: inout Known) throws(InvalidImage) {
        var header = ByteReader(bytes, in: content)
        guard content.count == 10 else { throw .damaged(part: "the header of the image") }
        let flags = try header.byte()
        try header.read(3)
        let (width, height) = try header.pair(ofBytes: 3, .littleEndian)
        try setSize(width: width + 1, height: height + 1)
        known.isExtended = true
        known.isAnimation = flags & Flag.animation != 0
        // Those of chunks are set when the chunks are kept.
        known.flags = flags & (Flag.alpha | Flag.animation)
    }

    private mutating func read(_ chunk: Chunk, _ known: inout Known) throws(InvalidImage) {
        let isFirst = Known.single.contains(chunk.name) && known.names.insert(chunk.name).inserted
        switch chunk.name {
        case "VP8 " where !known.isAnimation && !known.hasPixels, "VP8L" where !known.isAnimation && !known.hasPixels:
            try countStill(chunk, isExtended: known.isExtended)
            known.hasPixels = true
            keep(chunk, in: &parts)
        case "ALPH" where known.isExtended && !known.isAnimation && !known.hasPixels && isFirst:
            keep(chunk, in: &parts)
        case "ICCP" where known.isExtended && isFirst:
            known.flags |= Flag.colors
            hasColorProfile = true
            keep(chunk, in: &parts)
        case "ANIM" where known.isAnimation && isFirst:
            guard chunk.content.count == 6 else { throw .damaged(part: "the header of the animation") }
            keep(chunk, in: &parts)
        case "ANMF" where known.isAnimation:
            guard known.names.contains("ANIM") else { throw .damaged(part: "the header of the animation") }
            try readFrame(chunk)
            known.hasPixels = true
        case "EXIF":
            readEXIF(chunk, &known)
        case "XMP ":
            leaveOutXMP(chunk.content)
        default:
            leaveOut(.other)
        }
    }

    private mutating func readEXIF(_ chunk: Chunk, _ known: inout Known) {
        let content = bytes[chunk.content]
        // Some programs write the beginning of JPEG's segment, which does not belong here.
        let block = content.begins(with: "Exif\0\0") ? content.dropFirst(6) : content
        let reduced = reduceEXIF(block)
        guard known.isExtended else { return isTurned = false }
        guard let exif = reduced else { return }
        known.flags |= Flag.exif
        guard !content.elementsEqual(exif) else { return keep(chunk, in: &parts) }
        parts.write(chunk.name.bytes + UInt32(truncatingIfNeeded: exif.count).littleEndianBytes + exif)
    }

    /// Keeps a chunk, with the byte that makes its length even.
    private func keep(_ chunk: Chunk, in parts: inout ImageParts) {
        parts.keep(chunk.whole)
        if chunk.whole.count % 2 == 1 { parts.write([0]) }
    }
}

extension ImageWalk {
    private mutating func countStill(_ chunk: Chunk, isExtended: Bool) throws(InvalidImage) {
        let (width, height) = try bitstreamSize(chunk)
        if !isExtended { try setSize(width: width, height: height) }
        guard size == (width, height) else { throw .damaged(part: "it has two sizes") }
        try countFrame()
    }

    /// Reads the size in the header of the compressed data (RFC 6386, section 9.1; RFC 9649, section 3.4).
    private func bitstreamSize(_ chunk: Chunk) throws(InvalidImage) -> (width: Int, height: Int) {
        var reader = ByteReader(bytes, in: chunk.content)
        if chunk.name == "VP8L" {
            guard try reader.byte() == 0x2F else { throw .damaged(part: "the header of the compressed data") }
            let bits = try reader.number(ofBytes: 4, .littleEndian)
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        let tag = try reader.number(ofBytes: 3, .littleEndian)
        let isKeyFrame = tag & 1 == 0
        let start = try reader.number(ofBytes: 3, .bigEndian)
        let (width, height) = try reader.pair(ofBytes: 2, .littleEndian)
        guard isKeyFrame, start == 0x9D012A, tag >> 5 <= reader.remaining else {
            throw .damaged(part: "the header of the compressed data")
        }
        return (width & 0x3FFF, height & 0x3FFF)
    }

    private mutating func readFrame(_ frame: Chunk) throws(InvalidImage) {
        try countFrame()
        var reader = ByteReader(bytes, in: frame.content)
        let header = try reader.read(16)
        var numbers = ByteReader(bytes, in: header)
        let (left, top) = try numbers.pair(ofBytes: 3, .littleEndian)
        let width = try numbers.number(ofBytes: 3, .littleEndian) + 1
        let height = try numbers.number(ofBytes: 3, .littleEndian) + 1
        try checkFrame(width: width, height: height, left: left * 2, top: top * 2)
        var kept = ImageParts()
        kept.keep(header)
        var hasPixels = false
        while reader.remaining > 0 {
            let chunk = try Self.chunk(&reader)
            switch chunk.name {
            case "VP8 " where !hasPixels, "VP8L" where !hasPixels:
                guard try bitstreamSize(chunk) == (width, height) else { throw .damaged(part: "it has two sizes") }
                hasPixels = true
                keep(chunk, in: &kept)
            case "ALPH" where chunk.whole.lowerBound == header.upperBound:
                keep(chunk, in: &kept)
            default:
                leaveOut(.other)
            }
        }
        guard hasPixels else { throw .damaged(part: "a frame has no pixels") }
        parts.write(frame.name.bytes + UInt32(truncatingIfNeeded: kept.count).littleEndianBytes)
        parts.append(kept)
    }

    /// Puts the headers in front of the kept chunks.
    private mutating func writeWebP(header: Range<Int>?, flags: UInt8) {
        let chunks = parts
        parts = ImageParts()
        let length = 4 + chunks.count + (header == nil ? 0 : 18)
        parts.write(Array("RIFF".utf8) + UInt32(truncatingIfNeeded: length).littleEndianBytes + Array("WEBP".utf8))
        if let header {
            parts.write(Array("VP8X".utf8) + [10, 0, 0, 0, flags, 0, 0, 0])
            parts.keep(header.dropFirst(4))
        }
        parts.append(chunks)
    }
}
