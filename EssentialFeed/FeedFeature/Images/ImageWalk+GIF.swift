import Foundation

/// GIF: blocks and extensions of blocks (CompuServe, Graphics Interchange Format 89a).
extension ImageWalk {
    private enum Introducer {
        static let image: UInt8 = 0x2C
        static let `extension`: UInt8 = 0x21
        static let trailer: UInt8 = 0x3B
    }

    private struct Known {
        /// The control of the next image: its duration and its transparent color.
        var control: Range<Int>?
        var hasLoop = false
    }

    mutating func readGIF() throws(InvalidImage) {
        let start = reader.position
        try reader.read(6)
        let (width, height) = try reader.pair(ofBytes: 2, .littleEndian)
        try setSize(width: width, height: height)
        let flags = try reader.byte()
        try reader.read(2)
        try readColors(flags)
        parts.keep(start..<reader.position)
        var known = Known()
        while true {
            let start = reader.position
            switch try reader.byte() {
            case Introducer.image:
                try readImage(from: start, &known)
            case Introducer.extension:
                try readExtension(&known)
            case Introducer.trailer:
                guard hasFrames else { throw .damaged(part: "it has no pixels") }
                parts.keep(start..<reader.position)
                return finish()
            default:
                throw .damaged(part: "an unknown block")
            }
        }
    }

    private mutating func readColors(_ flags: UInt8) throws(InvalidImage) {
        if flags & 0x80 != 0 { try reader.read(3 << (Int(flags & 7) + 1)) }
    }

    /// Reads blocks of data up to the empty one that ends them, and returns the contents' sum of lengths.
    @discardableResult
    private mutating func readBlocks() throws(InvalidImage) -> Int {
        var sum = 0
        while true {
            let length = Int(try reader.byte())
            guard length > 0 else { return sum }
            sum += try reader.read(length).count
        }
    }

    private mutating func readImage(from start: Int, _ known: inout Known) throws(InvalidImage) {
        let (left, top) = try reader.pair(ofBytes: 2, .littleEndian)
        let (width, height) = try reader.pair(ofBytes: 2, .littleEndian)
        guard width > 0, height > 0 else { throw .empty }
        // Browsers enlarge the canvas for an image beyond its edge.
        try setSize(width: max(size.width, left + width), height: max(size.height, top + height))
        try countFrame()
        try readColors(try reader.byte())
        try reader.read(1)
        guard try readBlocks() > 0 else { throw .damaged(part: "it has no pixels") }
        writeControl(known.control)
        known.control = nil
        parts.keep(start..<reader.position)
    }

    private mutating func writeControl(_ control: Range<Int>?) {
        guard let control else { return }
        // The range begins with the introducer, and ends before the empty block.
        parts.keep(control)
        if bytes.indices.contains(control.upperBound), bytes[control.upperBound] == 0 {
            parts.keep(control.upperBound..<control.upperBound + 1)
        } else {
            parts.write([0])
        }
    }
}

extension ImageWalk {
    private mutating func readExtension(_ known: inout Known) throws(InvalidImage) {
        let start = reader.position - 1
        let label = try reader.byte()
        let first = try reader.read(Int(try reader.byte()))
        // An extension without a first block ends with it.
        let rest = reader.position
        if !first.isEmpty { try readBlocks() }
        let whole = start..<reader.position
        switch label {
        case 0xF9 where first.count == 4:
            known.control = start..<first.upperBound
        case 0xFF:
            readApplication(bytes[first], after: rest, in: whole, &known)
        case 0x01:
            // The control belongs to the text.
            known.control = nil
            leaveOut(.text)
        case 0xFE:
            leaveOut(.text)
        default:
            leaveOut(.other)
        }
    }

    private mutating func readApplication(_ name: Data, after start: Int, in whole: Range<Int>, _ known: inout Known) {
        let isLoop = name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8)
        let content = bytes[start..<whole.upperBound]
        if isLoop, !known.hasLoop, content.starts(with: [3, 1]), content.count >= 5 {
            known.hasLoop = true
            // The number of repetitions is all that it has.
            guard content.count > 5 else { return parts.keep(whole) }
            parts.keep(whole.lowerBound..<start + 4)
            parts.write([0])
        } else if name.elementsEqual("ICCRGBG1012".utf8) {
            parts.keep(whole)
        } else if name.elementsEqual("XMP DataXMP".utf8) {
            leaveOutXMP(start..<whole.upperBound)
        } else {
            leaveOut(.other)
        }
    }
}
