import FeedFeature
import FeedTesting
import Foundation
import Testing

struct PNGFileTests {
    private static let start = PNGBytes.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])

    @Test(arguments: [
        "PLTE", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "pHYs",
    ])
    func `chunks that change how an image is shown remain`(name: String) throws {
        let image = PNGBytes.file([PNGBytes.chunk(name, [1, 2, 3])])
        #expect(try clean(image) == Cleaned(image, []))
    }

    private static let leftOut: [(String, String, Set<ImageMetadata>)] = [
        ("tEXt", "Author\0Ann", [.text]), ("zTXt", "Raw profile type exif\0\0", [.text]),
        ("iTXt", "Comment\0\0\0\0\0", [.text]), ("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x/>", [.xmp]),
        ("iTXt", "XML:com.adobe.xmp\0\0\0\0\0exif:GPSLatitude", [.xmp, .location]), ("tIME", "1234567", [.other]),
        ("eXIf", "MM", [.exif]), ("iDOT", "", [.other]), ("caBX", "", [.other]), ("abcd", "", [.other]),
        ("sPLT", "a name", [.other]), ("fcTL", "", [.other]), ("fdAT", "hidden", [.other]),
    ]

    @Test(arguments: leftOut)
    func `metadata is left out`(name: String, content: String, metadata: Set<ImageMetadata>) throws {
        let chunk = PNGBytes.chunk(name, Array(content.utf8))
        #expect(try clean(PNGBytes.file([chunk])) == Cleaned(PNGBytes.file(), metadata))
        #expect(try clean(PNGBytes.file(later: [chunk])) == Cleaned(PNGBytes.file(), metadata))
    }

    @Test(arguments: 1...8, [false, true])
    func `the orientation remains, alone`(orientation: Int, isLittleEndian: Bool) throws {
        let block = EXIFBytes.block(orientation: orientation, hasLocation: true, isLittleEndian: isLittleEndian)
        let kept = PNGBytes.chunk("eXIf", EXIFBytes.orientation(UInt8(orientation)))
        let cleaned = try clean(PNGBytes.file([PNGBytes.chunk("eXIf", block)]))
        #expect(cleaned == Cleaned(PNGBytes.file(orientation == 1 ? [] : [kept]), [.exif, .location]))
    }

    @Test func `an animation remains`() throws {
        let first = [Self.start, PNGBytes.frame(0)]
        let second = [PNGBytes.frame(1), PNGBytes.chunk("fdAT", [0, 0, 0, 2] + PNGBytes.pixel)]
        let image = PNGBytes.file(first, later: second)
        #expect(try clean(image) == Cleaned(image, []))
        let text = PNGBytes.chunk("tEXt", Array("Author\0Ann".utf8))
        let signed = PNGBytes.file([text] + first, later: [text] + second + [text])
        #expect(try clean(signed) == Cleaned(image, [.text]))
    }

    @Test(arguments: [
        PNGBytes.frame(0, width: 2), PNGBytes.frame(0, height: 2), PNGBytes.frame(0, left: 1),
        PNGBytes.frame(0, top: 1),
        PNGBytes.frame(0, left: 0xFFFF_FFFF), PNGBytes.chunk("fcTL", []),
    ])
    func `a frame outside of the canvas is refused`(frame: [UInt8]) throws {
        guard case .damaged = try #require(refusal(of: PNGBytes.file([Self.start, frame]))) else {
            throw InvalidImage.unknownFormat
        }
    }

    @Test func `bytes after the end are left out`() throws {
        let hidden = Array(PNGBytes.file([PNGBytes.chunk("tEXt", Array("Author\0Ann".utf8))]))
        #expect(try clean(PNGBytes.file(trailing: hidden)) == Cleaned(PNGBytes.file(), [.trailing]))
    }

    @Test func `each beginning of an image is incomplete`() {
        let image = PNGBytes.file([PNGBytes.chunk("gAMA", [0, 0, 0, 1])])
        for count in 8..<image.count { #expect(refusal(of: image.prefix(count)) == .incomplete, "\(count) bytes") }
        #expect(refusal(of: image.prefix(7)) == .unknownFormat)
    }

    @Test(arguments: [
        PNGBytes.file([PNGBytes.chunk("IHDR", [])]), PNGBytes.file([PNGBytes.chunk("IEND", [])]),
        PNGBytes.file([PNGBytes.chunk("a\u{1}cd")]), PNGBytes.file(later: [PNGBytes.chunk("IEND", [1])]),
        PNGBytes.file().prefix(8) + PNGBytes.file().dropFirst(33),
    ])
    func `a damaged image is refused`(data: Data) throws {
        guard case .damaged = try #require(refusal(of: data)) else { throw InvalidImage.unknownFormat }
    }

    @Test func `a chunk as long as a number can be is refused`() {
        let chunk: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF] + Array("tEXt".utf8)
        #expect(refusal(of: PNGBytes.file([chunk])) == .incomplete)
    }
}
