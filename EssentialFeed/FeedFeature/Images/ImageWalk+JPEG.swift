import Foundation

/// JPEG: segments, each with a marker (ITU-T T.81, annex B; the application's segments are those of ExifTool's list).
extension ImageWalk {
    private enum Marker {
        static let prefix: [UInt8] = [0xFF]
        static let start: UInt8 = 0xD8
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let comment: UInt8 = 0xFE
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let applications: ClosedRange<UInt8> = 0xE0...0xEF
        /// Huffman tables, arithmetic conditioning, quantization tables, and the interval of restarts.
        static let tables: Set<UInt8> = [0xC4, 0xCC, 0xDB, 0xDD]
        /// Baseline, extended and progressive images, the last two also with arithmetic coding.
        static let frames: Set<UInt8> = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]
        /// Lossless and hierarchical images, which no browser shows.
        static let otherFrames: Set<UInt8> = [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF, 0xDE]
    }

    private struct Known {
        var hasJFIF = false
        var hasAdobe = false
    }

    mutating func readJPEG() throws(InvalidImage) {
        parts.keep(try reader.read(2))
        var known = Known()
        while true {
            let start = try marker()
            let marker = bytes[start + 1]
            switch marker {
            case Marker.end:
                guard hasFrames else { throw .damaged(part: "it has no pixels") }
                parts.keep(start..<reader.position)
                return finish()
            case Marker.start:
                throw .damaged(part: "a second image begins within the first one")
            case Marker.restarts, 0x01:
                // Without content; outside of a scan they mean nothing.
                leaveOut(.other)
            default:
                let content = try segment()
                try read(marker, content, in: start..<reader.position, &known)
            }
        }
    }

    /// Moves behind the next marker, and returns its start; bytes in front of it belong to nothing.
    private mutating func marker() throws(InvalidImage) -> Int {
        while true {
            let start = reader.position
            reader.skip(to: Marker.prefix)
            if reader.position > start { leaveOut(.other) }
            var value: UInt8 = 0xFF
            while value == 0xFF { value = try reader.byte() }
            if value != 0 { return reader.position - 2 }
        }
    }

    /// Reads the content of a segment, whose length counts its own two bytes.
    private mutating func segment() throws(InvalidImage) -> Range<Int> {
        let length = try reader.number(ofBytes: 2, .bigEndian)
        guard length >= 2 else { throw .damaged(part: "the length of a segment") }
        return try reader.read(length - 2)
    }

    private mutating func read(
        _ marker: UInt8,
        _ content: Range<Int>,
        in segment: Range<Int>,
        _ known: inout Known
    ) throws(InvalidImage) {
        switch marker {
        case _ where Marker.frames.contains(marker):
            try readFrame(content)
            parts.keep(segment)
        case Marker.scan:
            try countFrame()
            parts.keep(segment)
            try keepScan()
        case _ where Marker.tables.contains(marker):
            parts.keep(segment)
        case Marker.applications:
            readApplication(marker - 0xE0, content, in: segment, &known)
        case Marker.comment:
            leaveOut(.text)
        case _ where Marker.otherFrames.contains(marker):
            throw .damaged(part: "browsers do not show lossless and hierarchical JPEG")
        default:
            leaveOut(.other)
        }
    }

    private mutating func readFrame(_ content: Range<Int>) throws(InvalidImage) {
        guard size.width == 0 else { throw .damaged(part: "it has two sizes") }
        var frame = ByteReader(bytes, in: content)
        try frame.read(1)
        let (height, width) = try frame.pair(ofBytes: 2, .bigEndian)
        let components = Int(try frame.byte())
        guard components > 0, frame.remaining == 3 * components else {
            throw .damaged(part: "the header of the image")
        }
        try setSize(width: width, height: height)
    }

    /// Keeps the compressed data of a scan, up to the next marker that is not part of it.
    private mutating func keepScan() throws(InvalidImage) {
        guard size.width > 0 else { throw .damaged(part: "its size is missing") }
        let start = reader.position
        while true {
            reader.skip(to: Marker.prefix)
            let end = reader.position
            var following = reader
            var value: UInt8 = 0xFF
            while value == 0xFF { value = try following.byte() }
            guard value == 0 || Marker.restarts.contains(value) else {
                guard end > start else { throw .damaged(part: "it has no pixels") }
                return parts.keep(start..<end)
            }
            reader = following
        }
    }
}

extension ImageWalk {
    private mutating func readApplication(
        _ number: UInt8,
        _ content: Range<Int>,
        in segment: Range<Int>,
        _ known: inout Known
    ) {
        let payload = bytes[content]
        switch number {
        case 0 where payload.begins(with: "JFIF\0") && payload.count >= 14 && !known.hasJFIF:
            known.hasJFIF = true
            keepJFIF(content, in: segment)
        case 0 where payload.begins(with: "JFXX\0"):
            leaveOut(.preview)
        case 1 where payload.begins(with: "Exif\0"):
            // The sixth byte fills the place of an even number.
            guard let exif = reduceEXIF(payload.dropFirst(6)) else { return }
            let block = Array("Exif\0\0".utf8) + exif
            write(marker: 0xE1, block, insteadOf: content, in: segment)
        case 1 where payload.begins(with: "http://ns.adobe.com/"):
            leaveOutXMP(content)
        case 2 where payload.begins(with: "ICC_PROFILE\0"):
            hasColorProfile = true
            parts.keep(segment)
        case 2 where payload.begins(with: "MPF\0"):
            leaveOut(.preview)
        case 13 where payload.begins(with: "Photoshop "):
            leaveOut(.iptc)
        case 14 where payload.begins(with: "Adobe") && payload.count >= 12 && !known.hasAdobe:
            // States how the colors are coded, without which CMYK would have wrong ones.
            known.hasAdobe = true
            write(marker: 0xEE, Array(payload.prefix(12)), insteadOf: content, in: segment)
        default:
            leaveOut(.other)
        }
    }

    /// Keeps the units and the density, but not the preview after them.
    private mutating func keepJFIF(_ content: Range<Int>, in segment: Range<Int>) {
        let payload = bytes[content]
        if payload.dropFirst(12).contains(where: { $0 > 0 }) { leaveOut(.preview) }
        write(marker: 0xE0, Array(payload.prefix(12)) + [0, 0], insteadOf: content, in: segment)
    }

    /// Writes a segment; a segment with the same content is kept.
    private mutating func write(
        marker: UInt8,
        _ block: [UInt8],
        insteadOf content: Range<Int>,
        in segment: Range<Int>
    ) {
        guard !bytes[content].elementsEqual(block) else { return parts.keep(segment) }
        parts.write([0xFF, marker] + UInt16(truncatingIfNeeded: block.count + 2).bigEndianBytes + block)
    }
}
