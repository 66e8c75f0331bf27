import FeedFeature
import FeedTesting
import Foundation
import Testing

struct ShownImageTests {
    @Test(arguments: 1...8)
    func `an orientation from five turns an image by a quarter`(orientation: Int) throws {
        let block = EXIFBytes.block(orientation: orientation)
        let images = [
            JPEGBytes.file(width: 9, height: 17, [JPEGBytes.segment(0xE1, "Exif\0\0", block)]),
            PNGBytes.file(width: 9, height: 17, [PNGBytes.chunk("eXIf", block)]),
            WebPBytes.file([
                WebPBytes.header(0x08, width: 9, height: 17), WebPBytes.lossless(width: 9, height: 17),
                WebPBytes.chunk("EXIF", block),
            ]),
        ]
        for image in images {
            for data in [image, try ImageFile(image).withoutMetadata] {
                let file = try ImageFile(data)
                #expect(file.width == 9)
                #expect(file.height == 17)
                let size = orientation < 5 ? ImageSize(width: 9, height: 17) : ImageSize(width: 17, height: 9)
                #expect(file.shownSize == size)
            }
        }
    }

    @Test func `only the orientation that remains turns an image`() throws {
        let (turned, upright) = (EXIFBytes.block(orientation: 6), EXIFBytes.block(orientation: 1))
        func width(_ data: Data) throws -> Int {
            let file = try ImageFile(data)
            #expect(try ImageFile(file.withoutMetadata).shownSize == file.shownSize)
            return file.shownSize.width
        }
        let exif = { JPEGBytes.segment(0xE1, "Exif\0\0", $0) }
        #expect(try width(JPEGBytes.file(width: 9, height: 17, [exif(upright), exif(turned)])) == 9)
        #expect(try width(JPEGBytes.file(width: 9, height: 17, [exif(turned), exif(upright)])) == 17)
        // Without the extended header, a WebP has no EXIF.
        let chunks = [WebPBytes.lossless(width: 9, height: 17), WebPBytes.chunk("EXIF", turned)]
        #expect(try width(WebPBytes.file(chunks)) == 9)
        #expect(try width(GIFBytes.file(width: 9, height: 17)) == 9)
    }

    @Test func `a color profile is noticed`() throws {
        let with = [
            JPEGBytes.file([JPEGBytes.segment(0xE2, "ICC_PROFILE\0", [1, 1, 9])]),
            PNGBytes.file([PNGBytes.chunk("iCCP", [1])]),
            WebPBytes.file([WebPBytes.header(0x20), WebPBytes.chunk("ICCP", [1, 2]), WebPBytes.lossless()]),
        ]
        let without = [
            JPEGBytes.file(), PNGBytes.file([PNGBytes.chunk("sRGB", [0])]), GIFBytes.file(), WebPBytes.file(),
            WebPBytes.file([WebPBytes.lossless(), WebPBytes.chunk("ICCP", [1, 2])]),
        ]
        for image in with { #expect(try ImageFile(image).hasColorProfile) }
        for image in without { #expect(try !ImageFile(image).hasColorProfile) }
    }
}
