import FeedFeature
import FeedTesting
import Foundation
import Testing

struct GIFFileTests {
    @Test func `an animation remains, with its durations and repetitions`() throws {
        let frames = [GIFBytes.control, GIFBytes.image(), GIFBytes.control, GIFBytes.image()]
        for loop in [GIFBytes.loop, GIFBytes.application("ANIMEXTS1.0", [[1, 2, 0]])] {
            let image = GIFBytes.file([loop] + frames)
            #expect(try clean(image) == Cleaned(image, []))
        }
        let colors = GIFBytes.application("ICCRGBG1012", [[1, 2, 3], [4]])
        let image = GIFBytes.file([colors] + frames)
        #expect(try clean(image) == Cleaned(image, []))
        let comment = GIFBytes.block(0xFE, [Array("Ann".utf8)])
        let commented = GIFBytes.file([comment, GIFBytes.loop] + frames.flatMap { [$0, comment] })
        #expect(try clean(commented) == Cleaned(GIFBytes.file([GIFBytes.loop] + frames), [.text]))
    }

    private static let leftOut: [([UInt8], Set<ImageMetadata>)] = [
        (GIFBytes.block(0xFE, []), [.text]), (GIFBytes.block(0x01, [[UInt8](repeating: 1, count: 12)]), [.text]),
        (GIFBytes.application("XMP DataXMP", [Array("<x/>".utf8)]), [.xmp]),
        (GIFBytes.application("XMP DataXMP", [Array("exif:GPSLatitude".utf8)]), [.xmp, .location]),
        (GIFBytes.application("MGK8BIM0000", [Array("IPTC".utf8)]), [.other]),
        (GIFBytes.application("NETSCAPE2.0", [[2, 0, 0, 0, 0]]), [.other]), (GIFBytes.block(0xF0, [[1]]), [.other]),
        (GIFBytes.block(0xF9, [[1, 2, 3, 4, 5]]), [.other]),
    ]

    @Test(arguments: leftOut)
    func `metadata is left out`(block: [UInt8], metadata: Set<ImageMetadata>) throws {
        #expect(try clean(GIFBytes.file([block, GIFBytes.image()])) == Cleaned(GIFBytes.file(), metadata))
        #expect(try clean(GIFBytes.file([GIFBytes.image(), block])) == Cleaned(GIFBytes.file(), metadata))
    }

    @Test func `data behind what is needed of a block is left out`() throws {
        let loop = GIFBytes.application("NETSCAPE2.0", [[1, 0, 0], Array("hidden".utf8)])
        let control = GIFBytes.block(0xF9, [[0, 10, 0, 0], Array("hidden".utf8)])
        let expected = GIFBytes.file([GIFBytes.loop, GIFBytes.control, GIFBytes.image()])
        #expect(try clean(GIFBytes.file([loop, control, GIFBytes.image()])).data == expected)
        #expect(try clean(GIFBytes.file([loop, loop, control, GIFBytes.image()])).data == expected)
    }

    @Test func `bytes after the end are left out`() throws {
        #expect(try clean(GIFBytes.file(trailing: Array("hidden".utf8))) == Cleaned(GIFBytes.file(), [.trailing]))
    }

    @Test func `each beginning of an image is incomplete`() {
        let image = GIFBytes.file([GIFBytes.loop, GIFBytes.control, GIFBytes.image()])
        for count in 6..<image.count { #expect(refusal(of: image.prefix(count)) == .incomplete, "\(count) bytes") }
        #expect(refusal(of: image.prefix(5)) == .unknownFormat)
    }

    @Test(arguments: [
        GIFBytes.file([]), GIFBytes.file([[0x00]]), GIFBytes.file([[0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0]]),
    ])
    func `a damaged image is refused`(data: Data) throws {
        guard case .damaged = try #require(refusal(of: data)) else { throw InvalidImage.unknownFormat }
    }

    @Test(arguments: ["GIF89a=1;alert('a script that begins as an image does')", "GIF89a/* */=1;alert(1)//;;;;;;;"])
    func `a script is not an image`(text: String) {
        #expect(refusal(of: Data(text.utf8)) != nil)
    }

    @Test(arguments: [(9_999, true), (10_000, true), (10_001, false)])
    func `an animation has at most 10,000 frames`(count: Int, isValid: Bool) {
        let image = GIFBytes.file(Array(repeating: GIFBytes.image(), count: count))
        #expect(refusal(of: image) == (isValid ? nil : .tooManyFrames))
    }

    @Test(arguments: [(49, true), (50, true), (51, false)])
    func `an animation has at most 5,000 million pixels`(count: Int, isValid: Bool) {
        let image = GIFBytes.file(width: 10_000, height: 10_000, Array(repeating: GIFBytes.image(), count: count))
        #expect(refusal(of: image) == (isValid ? nil : .tooManyFrames))
    }

    @Test(arguments: [(50, true), (51, false)])
    func `each image of an animation counts with the canvas that the largest ones enlarge`(count: Int, isValid: Bool) {
        let corner = Array(repeating: GIFBytes.image(left: 9_999, top: 9_999), count: count)
        #expect(refusal(of: GIFBytes.file(corner)) == (isValid ? nil : .tooManyFrames))
        let edges = [GIFBytes.image(left: 9_999), GIFBytes.image(top: 9_999)]
        let others = Array(repeating: GIFBytes.image(), count: count - 2)
        #expect(refusal(of: GIFBytes.file(edges + others)) == (isValid ? nil : .tooManyFrames))
    }

    @Test func `an image beyond the edge counts as part of the canvas`() {
        #expect(refusal(of: GIFBytes.file([GIFBytes.image(left: 9_999, width: 1)])) == nil)
        #expect(refusal(of: GIFBytes.file([GIFBytes.image(left: 65_535, top: 65_535)])) == .tooManyPixels)
        #expect(refusal(of: GIFBytes.file([GIFBytes.image(width: 0)])) == .empty)
    }
}
