import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct ImageFileTests {
    private static let whole: [Data] = [
        JPEGBytes.file(
            width: 9,
            height: 17,
            [
                JPEGBytes.segment(0xE0, "JFIF\0", [1, 2, 1, 0, 72, 0, 72, 1, 1, 7, 7, 7]),
                JPEGBytes.segment(0xE1, "Exif\0\0", EXIFBytes.block(orientation: 6, hasLocation: true)),
                JPEGBytes.segment(0xE2, "ICC_PROFILE\0", [1, 1, 9, 9]), JPEGBytes.segment(0xFE, "Ann"),
                JPEGBytes.segment(0xEE, "Adobe", [0, 100, 0, 0, 0, 0, 2, 1]),
            ],
            scan: [1, 0xFF, 0, 0xFF, 0xD1, 2],
            later: [JPEGBytes.scan([3, 4])],
            trailing: [1, 2, 3]
        ),
        PNGBytes.file(
            width: 2,
            height: 3,
            [
                PNGBytes.chunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]), PNGBytes.frame(0), PNGBytes.chunk("tEXt", [1, 0, 2]),
                PNGBytes.chunk("eXIf", EXIFBytes.block(orientation: 8, isLittleEndian: true)),
            ],
            later: [PNGBytes.frame(1), PNGBytes.chunk("fdAT", [0, 0, 0, 2] + PNGBytes.pixel)],
            trailing: [1, 2, 3]
        ),
        GIFBytes.file(
            width: 4,
            height: 5,
            [
                GIFBytes.loop, GIFBytes.control, GIFBytes.image(), GIFBytes.block(0xFE, [[1, 2]]), GIFBytes.control,
                GIFBytes.image(), GIFBytes.application("XMP DataXMP", [[1, 2, 3]]),
            ],
            trailing: [1, 2, 3]
        ),
        WebPBytes.file([
            WebPBytes.header(0x2C), WebPBytes.chunk("ICCP", [1, 2, 3]), WebPBytes.lossless(),
            WebPBytes.chunk("EXIF", EXIFBytes.block(orientation: 3)), WebPBytes.chunk("XMP ", [1]),
        ]),
        WebPBytes.file([
            WebPBytes.header(0x02, width: 3, height: 3), WebPBytes.animation, WebPBytes.frame(),
            WebPBytes.frame([WebPBytes.lossy(), WebPBytes.chunk("hide", [1])]),
        ]),
    ]

    @Test func `a width and a height are read`() throws {
        let sizes = try Self.whole.map { try ImageFile($0) }.map { [$0.width, $0.height] }
        #expect(sizes == [[9, 17], [2, 3], [4, 5], [1, 1], [3, 3]])
    }

    private static let frame = [GIFBytes.control, GIFBytes.image()]
    private static let animation = PNGBytes.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
    private static let data = PNGBytes.chunk("fdAT", [0, 0, 0, 2] + PNGBytes.pixel)

    @Test(arguments: [
        (GIFBytes.file(), false), (GIFBytes.file([GIFBytes.loop] + frame), false), (GIFBytes.file(frame + frame), true),
        (PNGBytes.file(), false), (PNGBytes.file([animation, PNGBytes.frame(0)]), false),
        (PNGBytes.file([animation], later: [PNGBytes.frame(0), data]), false),
        (PNGBytes.file([animation, PNGBytes.frame(0)], later: [PNGBytes.frame(1), data]), true),
        // Without the header of an animation, browsers show only the image.
        (PNGBytes.file([PNGBytes.frame(0)], later: [PNGBytes.frame(1), data]), false), (WebPBytes.file(), false),
        (WebPBytes.file([WebPBytes.header(2), WebPBytes.animation, WebPBytes.frame()]), false),
        (WebPBytes.file([WebPBytes.header(2), WebPBytes.animation, WebPBytes.frame(), WebPBytes.frame()]), true),
        (JPEGBytes.file(later: [JPEGBytes.scan([1])]), false),
    ])
    func `an image moves if it has more than one frame`(data: Data, isAnimated: Bool) throws {
        let file = try ImageFile(data)
        #expect(file.isAnimated == isAnimated)
        #expect(try ImageFile(file.withoutMetadata).isAnimated == isAnimated)
    }

    @Test func `a part of other data is read from its own beginning`() throws {
        for data in Self.whole {
            let part = (Data([1, 2, 3]) + data).dropFirst(3)
            #expect(try ImageFile(part).withoutMetadata == ImageFile(data).withoutMetadata)
        }
    }

    private static func image(_ format: ImageFormat, width: Int, height: Int) -> Data {
        switch format {
        case .jpeg: JPEGBytes.file(width: width, height: height)
        case .png: PNGBytes.file(width: width, height: height)
        case .gif: GIFBytes.file(width: width, height: height)
        case .webp:
            WebPBytes.file([
                WebPBytes.header(0x02, width: width, height: height), WebPBytes.animation, WebPBytes.frame(),
            ])
        }
    }

    @Test(arguments: ImageFormat.allCases)
    func `an image has at most 100 million pixels`(format: ImageFormat) {
        #expect(refusal(of: Self.image(format, width: 11_111, height: 9_000)) == nil)
        #expect(refusal(of: Self.image(format, width: 10_000, height: 10_000)) == nil)
        #expect(refusal(of: Self.image(format, width: 10_001, height: 10_000)) == .tooManyPixels)
    }

    // 99,999,999 is 9 × 11,111,111, and 100,000,001 is 17 × 5,882,353.
    @Test(arguments: [(9, 11_111_111, true), (10, 10_000_000, true), (17, 5_882_353, false)])
    func `one pixel more than 100 million is too many`(width: Int, height: Int, isValid: Bool) {
        for format in [ImageFormat.png, .webp] {
            for (width, height) in [(width, height), (height, width)] {
                let image = Self.image(format, width: width, height: height)
                #expect(refusal(of: image) == (isValid ? nil : .tooManyPixels))
            }
        }
    }

    @Test func `the largest sizes are refused`() {
        #expect(refusal(of: JPEGBytes.file(width: 65_535, height: 65_535)) == .tooManyPixels)
        #expect(refusal(of: PNGBytes.file(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF)) == .tooManyPixels)
        #expect(refusal(of: GIFBytes.file(width: 65_535, height: 65_535)) == .tooManyPixels)
        #expect(refusal(of: Self.image(.webp, width: 1 << 24, height: 1 << 24)) == .tooManyPixels)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .gif])
    func `an image without pixels is refused`(format: ImageFormat) {
        #expect(refusal(of: Self.image(format, width: 0, height: 1)) == .empty)
        #expect(refusal(of: Self.image(format, width: 1, height: 0)) == .empty)
    }

    @Test func `the smallest beginnings of images are refused`() {
        #expect(refusal(of: Data([0xFF, 0xD8, 0xFF])) == .incomplete)
        #expect(refusal(of: Data("GIF89a".utf8)) == .incomplete)
        #expect(refusal(of: Data("RIFF\u{7}\0\0\0WEBPVP8".utf8)) == .incomplete)
        #expect(refusal(of: Data("RIFF....WEBPVP8 ".utf8)) == .incomplete)
        #expect(refusal(of: Data()) == .unknownFormat)
    }

    @Test(arguments: [("heic", true), ("hevc", true), ("mif1", true), ("avif", false), ("isom", false)])
    func `a photograph of a phone is refused with what to do about it`(_ brand: String, _ isHEIC: Bool) throws {
        let reason = try #require(refusal(of: Data("\0\0\0\u{18}ftyp\(brand)\0\0\0\0".utf8))).reason
        #expect(reason.hasPrefix("must be a JPEG, PNG, GIF or WebP image"))
        #expect(reason.contains("not HEIC: export the photograph as JPEG") == isHEIC)
        #expect(refusal(of: Data("\0\0\0\u{18}ftyp\(brand.dropLast())".utf8)) == .unknownFormat)
    }

    @Test func `a changed file is refused, or cleaned once and for all`() throws {
        var generator = SeededGenerator(seed: 2_026)
        var cleaned = 0
        for data in Self.whole {
            for _ in 0..<2_000 {
                let changed = data.mutated(using: &generator)
                guard let file = try? ImageFile(changed) else { continue }
                cleaned += 1
                let once = file.withoutMetadata
                let again = try ImageFile(once)
                #expect(again.withoutMetadata == once)
                #expect(again.metadata.isEmpty)
                #expect(again.width == file.width)
                #expect(again.height == file.height)
                // A missing byte at the end of a WebP and a block's empty end may be added.
                #expect(once.count <= changed.count + 1)
            }
        }
        #expect(cleaned > 1_000)
    }
}

extension Data {
    /// Returns the bytes with one to three of them changed, or with a part left out or repeated.
    fileprivate func mutated(using generator: inout some RandomNumberGenerator) -> Data {
        var bytes = Array(self)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            let other = Int.random(in: bytes.indices, using: &generator)
            let part = Swift.min(index, other)..<Swift.max(index, other)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0 where part.count < bytes.count / 2: bytes.removeSubrange(part)
            case 1: bytes.insert(contentsOf: bytes[part], at: other)
            case 2: bytes[index] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
            default: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return Data(bytes)
    }
}
