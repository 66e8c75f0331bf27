import FeedFeature
import FeedTesting
import Foundation
import Testing

struct WebPFileTests {
    private static let colors = WebPBytes.chunk("ICCP", [1, 2, 3])
    private static let alpha = WebPBytes.chunk("ALPH", [0, 255])
    private static let xmp = WebPBytes.chunk("XMP ", Array("<x/>".utf8))

    private static func exif(_ block: [UInt8]) -> [UInt8] { WebPBytes.chunk("EXIF", block) }

    @Test(arguments: [
        [WebPBytes.lossless()], [WebPBytes.lossy()], [WebPBytes.header(0), WebPBytes.lossless()],
        [WebPBytes.header(0x30), colors, alpha, WebPBytes.lossy()],
        [WebPBytes.header(0x02), WebPBytes.animation, WebPBytes.frame(), WebPBytes.frame([alpha, WebPBytes.lossy()])],
    ])
    func `what is needed remains`(chunks: [[UInt8]]) throws {
        let image = WebPBytes.file(chunks)
        #expect(try clean(image) == Cleaned(image, []))
    }

    private static let leftOut: [([UInt8], UInt8, Set<ImageMetadata>)] = [
        (exif(EXIFBytes.block()), 0x08, [.exif]),
        (exif(EXIFBytes.block(hasLocation: true, hasPreview: true)), 0x08, [.exif, .location, .preview]),
        (xmp, 0x04, [.xmp]), (WebPBytes.chunk("XMP ", Array("exif:GPSLatitude".utf8)), 0x04, [.xmp, .location]),
        (WebPBytes.chunk("abcd", [1]), 0, [.other]), (WebPBytes.lossless(), 0, [.other]), (alpha, 0, [.other]),
        (WebPBytes.frame(), 0, [.other]),
    ]

    @Test(arguments: leftOut)
    func `metadata is left out, and the header does not announce it`(
        chunk: [UInt8],
        flag: UInt8,
        metadata: Set<ImageMetadata>
    ) throws {
        let extended = WebPBytes.file([WebPBytes.header(flag), WebPBytes.lossless(), chunk])
        #expect(try clean(extended) == Cleaned(WebPBytes.file([WebPBytes.header(0), WebPBytes.lossless()]), metadata))
        #expect(try clean(WebPBytes.file([WebPBytes.lossless(), chunk])) == Cleaned(WebPBytes.file(), metadata))
    }

    @Test(arguments: 1...8, [[], Array("Exif\0\0".utf8)])
    func `the orientation remains, alone`(orientation: Int, prefix: [UInt8]) throws {
        let block = Self.exif(prefix + EXIFBytes.block(orientation: orientation, hasLocation: true))
        let image = WebPBytes.file([WebPBytes.header(0x0C), WebPBytes.lossless(), block, Self.xmp])
        let kept = [WebPBytes.header(0x08), WebPBytes.lossless(), Self.exif(EXIFBytes.orientation(UInt8(orientation)))]
        let upright = [WebPBytes.header(0), WebPBytes.lossless()]
        let cleaned = try clean(image)
        #expect(cleaned == Cleaned(WebPBytes.file(orientation == 1 ? upright : kept), [.exif, .location, .xmp]))
    }

    @Test func `data hidden in the frames of an animation is left out`() throws {
        let hidden = WebPBytes.frame([WebPBytes.lossless(), WebPBytes.chunk("hide", [1, 2, 3]), Self.xmp])
        let start = [WebPBytes.header(0x02), WebPBytes.animation]
        let cleaned = try clean(WebPBytes.file(start + [WebPBytes.frame(), hidden]))
        #expect(cleaned == Cleaned(WebPBytes.file(start + [WebPBytes.frame(), WebPBytes.frame()]), [.other]))
    }

    private static let repeated: [([[UInt8]], [[UInt8]])] = [
        (
            [WebPBytes.header(0x30), colors, colors, alpha, alpha, WebPBytes.lossy()],
            [WebPBytes.header(0x30), colors, alpha, WebPBytes.lossy()]
        ),
        (
            [WebPBytes.header(0), WebPBytes.header(0), WebPBytes.lossless()],
            [WebPBytes.header(0), WebPBytes.lossless()]
        ),
        (
            [WebPBytes.header(0x02), WebPBytes.animation, WebPBytes.animation, WebPBytes.frame()],
            [WebPBytes.header(0x02), WebPBytes.animation, WebPBytes.frame()]
        ),
        (
            [WebPBytes.header(0x02), WebPBytes.animation, WebPBytes.frame([alpha, alpha, WebPBytes.lossy()])],
            [WebPBytes.header(0x02), WebPBytes.animation, WebPBytes.frame([alpha, WebPBytes.lossy()])]
        ),
    ]

    @Test(arguments: repeated)
    func `of a chunk that may occur once, only the first one remains`(chunks: [[UInt8]], kept: [[UInt8]]) throws {
        #expect(try clean(WebPBytes.file(chunks)) == Cleaned(WebPBytes.file(kept), [.other]))
    }

    @Test func `bytes after the end are left out`() throws {
        #expect(try clean(WebPBytes.file(trailing: Array("hidden".utf8))) == Cleaned(WebPBytes.file(), [.trailing]))
    }

    @Test func `a missing byte at the end is added`() throws {
        var short = WebPBytes.file().dropLast()
        short[4] -= 1
        #expect(try clean(Data(short)) == Cleaned(WebPBytes.file(), []))
    }

    @Test func `each beginning of an image is incomplete`() {
        let image = WebPBytes.file([WebPBytes.header(0x30), Self.colors, Self.alpha, WebPBytes.lossy()])
        for count in 14..<image.count { #expect(refusal(of: image.prefix(count)) == .incomplete, "\(count) bytes") }
        #expect(refusal(of: image.prefix(13)) == .unknownFormat)
    }

    @Test(arguments: [
        WebPBytes.file([WebPBytes.header(0)]), WebPBytes.file([WebPBytes.header(0, width: 2), WebPBytes.lossless()]),
        WebPBytes.file([WebPBytes.header(2), WebPBytes.lossless()]), WebPBytes.file([WebPBytes.chunk("VP8X", [1])]),
        WebPBytes.file([WebPBytes.header(2), WebPBytes.frame()]),
        WebPBytes.file([WebPBytes.header(2), WebPBytes.animation, WebPBytes.frame([])]),
        WebPBytes.file([WebPBytes.header(2), WebPBytes.animation, WebPBytes.frame(width: 2)]),
        WebPBytes.file([WebPBytes.header(2), WebPBytes.animation, WebPBytes.frame([WebPBytes.lossless(width: 2)])]),
        WebPBytes.file([WebPBytes.chunk("VP8L", [0, 0, 0, 0, 0])]),
        WebPBytes.file([WebPBytes.chunk("VP8 ", [0x91, 1, 0, 0x9D, 1, 0x2A, 1, 0, 1, 0])]),
        WebPBytes.file([WebPBytes.chunk("VP8 ", [0x90, 1, 0, 0x9D, 1, 0x2A, 1, 0, 1, 0])]),
    ])
    func `a damaged image is refused`(data: Data) throws {
        guard case .damaged = try #require(refusal(of: data)) else { throw InvalidImage.unknownFormat }
    }
}
