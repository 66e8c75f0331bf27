import FeedFeature
import FeedTesting
import Foundation
import Testing

struct JPEGFileTests {
    private static func exif(_ block: [UInt8]) -> [UInt8] { JPEGBytes.segment(0xE1, "Exif\0\0", block) }

    private static let jfif = JPEGBytes.segment(0xE0, "JFIF\0", [1, 2, 1, 0, 72, 0, 72, 0, 0])
    private static let colors = JPEGBytes.segment(0xE2, "ICC_PROFILE\0", [1, 1, 9, 9])
    private static let adobe = JPEGBytes.segment(0xEE, "Adobe", [0, 100, 0, 0, 0, 0, 2])

    @Test func `an image without metadata stays as it is`() throws {
        let image = JPEGBytes.file([Self.jfif, Self.colors, Self.adobe])
        #expect(try clean(image) == Cleaned(image, []))
        #expect(try ImageFile(image).format == .jpeg)
    }

    private static let leftOut: [(String, [UInt8], Set<ImageMetadata>)] = [
        ("EXIF", exif(EXIFBytes.block()), [.exif]),
        ("a place", exif(EXIFBytes.block(hasLocation: true)), [.exif, .location]),
        ("a place, little-endian", exif(EXIFBytes.block(hasLocation: true, isLittleEndian: true)), [.exif, .location]),
        ("a preview", exif(EXIFBytes.block(hasPreview: true)), [.exif, .preview]),
        ("damaged EXIF", exif([0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF]), [.exif]),
        ("no EXIF", exif([]), [.exif]),
        ("XMP", JPEGBytes.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0<x/>"), [.xmp]),
        ("a place", JPEGBytes.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0exif:GPSLatitude"), [.xmp, .location]),
        ("extended XMP", JPEGBytes.segment(0xE1, "http://ns.adobe.com/xmp/extension/\0GG"), [.xmp]),
        ("IPTC", JPEGBytes.segment(0xED, "Photoshop 3.0\08BIM"), [.iptc]),
        ("a comment", JPEGBytes.segment(0xFE, "Ann's camera"), [.text]),
        ("other images", JPEGBytes.segment(0xE2, "MPF\0"), [.preview]),
        ("a preview", JPEGBytes.segment(0xE0, "JFXX\0", [0x10]), [.preview]),
        ("a provenance", JPEGBytes.segment(0xEB, "JP"), [.other]),
        ("a maker's data", JPEGBytes.segment(0xE5, "RMETA\0"), [.other]),
        ("an unknown segment", JPEGBytes.segment(0xF0, "?"), [.other]),
    ]

    @Test(arguments: leftOut)
    func `metadata is left out`(name: String, segment: [UInt8], metadata: Set<ImageMetadata>) throws {
        let expected = JPEGBytes.file([Self.jfif, Self.colors])
        #expect(try clean(JPEGBytes.file([Self.jfif, segment, Self.colors])) == Cleaned(expected, metadata))
        // Also behind the pixels.
        #expect(try clean(JPEGBytes.file(later: [segment])) == Cleaned(JPEGBytes.file(), metadata))
    }

    @Test(arguments: [Array("hidden".utf8), [0xFF, 0xD0], [0xFF, 0x00, 0xFF, 0x01]] as [[UInt8]])
    func `bytes between segments are left out`(bytes: [UInt8]) throws {
        let expected = JPEGBytes.file([Self.jfif, Self.colors])
        #expect(try clean(JPEGBytes.file([Self.jfif, bytes, Self.colors])) == Cleaned(expected, [.other]))
    }

    @Test(arguments: 1...8, [false, true])
    func `the orientation remains, alone`(orientation: Int, isLittleEndian: Bool) throws {
        let block = EXIFBytes.block(orientation: orientation, hasLocation: true, isLittleEndian: isLittleEndian)
        let expected = orientation == 1 ? [] : [Self.exif(EXIFBytes.orientation(UInt8(orientation)))]
        let cleaned = try clean(JPEGBytes.file([Self.exif(block)]))
        #expect(cleaned == Cleaned(JPEGBytes.file(expected), [.exif, .location]))
    }

    @Test(arguments: [0, 9, 65_535])
    func `an unknown orientation is left out`(orientation: Int) throws {
        let block = EXIFBytes.block(orientation: orientation)
        #expect(try clean(JPEGBytes.file([Self.exif(block)])).data == JPEGBytes.file())
    }

    @Test func `the orientation before a fault in the block remains`() throws {
        let block = EXIFBytes.block(orientation: 6)
        let image = JPEGBytes.file([Self.exif(EXIFBytes.orientation(6))])
        // Without the number of the second directory, and without the last byte of the orientation.
        #expect(try clean(JPEGBytes.file([Self.exif(Array(block.dropLast(4)))])) == Cleaned(image, [.exif]))
        #expect(try clean(JPEGBytes.file([Self.exif(Array(block.dropLast(5)))])) == Cleaned(JPEGBytes.file(), [.exif]))
    }

    @Test func `only the first block of EXIF counts`() throws {
        let blocks = [EXIFBytes.block(orientation: 6), EXIFBytes.block(orientation: 3)].map(Self.exif)
        #expect(try clean(JPEGBytes.file(blocks)).data == JPEGBytes.file([Self.exif(EXIFBytes.orientation(6))]))
    }

    @Test func `a preview in the first segment is left out, the density is not`() throws {
        let withPreview = JPEGBytes.segment(0xE0, "JFIF\0", [1, 2, 1, 0, 72, 0, 72, 1, 1, 7, 7, 7])
        #expect(try clean(JPEGBytes.file([withPreview])) == Cleaned(JPEGBytes.file([Self.jfif]), [.preview]))
    }

    @Test func `a motion photo becomes a photograph`() throws {
        let video = Array("....ftypmp42 and the place where it was filmed".utf8)
        #expect(try clean(JPEGBytes.file(trailing: video)) == Cleaned(JPEGBytes.file(), [.trailing]))
        // A second image has its own metadata.
        let second = JPEGBytes.file([Self.exif(EXIFBytes.block(hasLocation: true))])
        #expect(try clean(JPEGBytes.file(trailing: Array(second))) == Cleaned(JPEGBytes.file(), [.trailing]))
    }

    @Test func `CMYK keeps the coding of its colors, without what follows it`() throws {
        let image = JPEGBytes.file([Self.adobe], components: [1, 2, 3, 4])
        #expect(try clean(image).data == image)
        let longer = JPEGBytes.segment(0xEE, "Adobe", [0, 100, 0, 0, 0, 0, 2] + Array("hidden".utf8))
        #expect(try clean(JPEGBytes.file([longer], components: [1, 2, 3, 4])).data == image)
    }

    @Test(arguments: [0xC0, 0xC1, 0xC2, 0xC9, 0xCA] as [UInt8])
    func `the passes of an image remain, with restarts and stuffed bytes`(frame: UInt8) throws {
        let interval = JPEGBytes.segment(0xDD, [0, 1])
        let data: [UInt8] = [1, 0xFF, 0x00, 0xFF, 0xD0, 2, 0xFF, 0xD7, 0xFF, 0xFF, 0x00, 3]
        let table = JPEGBytes.segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 16))
        let passes = [JPEGBytes.scan([1, 0xFF, 0x00]), table, JPEGBytes.scan([2])]
        let image = JPEGBytes.file([interval], frame: frame, scan: data, later: passes)
        #expect(try clean(image) == Cleaned(image, []))
        let comment = JPEGBytes.segment(0xFE, "between the passes")
        let commented = JPEGBytes.file([interval], frame: frame, scan: data, later: [comment] + passes)
        #expect(try clean(commented) == Cleaned(image, [.text]))
    }

    @Test func `bytes that fill the way to a marker are left out`() throws {
        #expect(try clean(JPEGBytes.file([[0xFF, 0xFF, 0xFF] + Self.colors])).data == JPEGBytes.file([Self.colors]))
        #expect(try clean(JPEGBytes.file(later: [[0xFF, 0xFF]])).data == JPEGBytes.file())
    }

    @Test func `each beginning of an image is incomplete`() {
        let image = JPEGBytes.file([Self.jfif, Self.exif(EXIFBytes.block()), Self.colors])
        for count in 3..<image.count { #expect(refusal(of: image.prefix(count)) == .incomplete, "\(count) bytes") }
        #expect(refusal(of: image.prefix(2)) == .unknownFormat)
    }

    @Test(arguments: [
        JPEGBytes.file([[0xFF, 0xDB, 0, 1]]), JPEGBytes.file([[0xFF, 0xD8]]), JPEGBytes.file(scan: []),
        JPEGBytes.file([JPEGBytes.segment(0xC0, [8, 0, 1, 0, 1, 1])]), JPEGBytes.file([JPEGBytes.scan([1])]),
        Data([0xFF, 0xD8, 0xFF, 0xD9]), JPEGBytes.file(frame: 0xC3), JPEGBytes.file(components: []),
    ])
    func `a damaged image is refused`(data: Data) throws {
        guard case .damaged = try #require(refusal(of: data)) else { throw InvalidImage.unknownFormat }
    }
}
