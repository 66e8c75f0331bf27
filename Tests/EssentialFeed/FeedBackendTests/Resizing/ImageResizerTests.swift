import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import Testing

/// Images of all kinds with the installed `vipsthumbnail`.
struct ImageResizerTests {
    private let images: TestImages
    private let resizer: VipsImageResizer

    init() async throws {
        images = try TestImages()
        resizer = try await VipsImageResizer()
    }

    private func resize(_ data: Data) async throws -> ResizedImage {
        let resized = try await resizer.resize(ImageFile(data))
        for version in resized.versions {
            let file = try ImageFile(version.data)
            #expect(file.format == .webp)
            #expect(file.shownSize == version.size)
            #expect(file.width == version.size.width)
            #expect(!file.hasColorProfile)
            #expect(file.metadata.isEmpty)
            #expect(file.withoutMetadata == version.data)
        }
        return resized
    }

    /// Whether a pixel is as red as compression leaves it.
    private func isRed(_ pixel: [Int]) -> Bool { pixel.count >= 3 && pixel[0] > 235 && pixel[1] < 40 && pixel[2] < 40 }

    @Test(arguments: [".jpg", ".jpg[interlace]", ".png", ".png[interlace]", ".png[palette]", ".gif", ".webp"])
    func `an image of each format has three versions and a color`(type: String) async throws {
        let resized = try await resize(images.image(2_000, 1_000, type))
        #expect(resized.versions.map(\.size.width) == [480, 960, 1_920])
        #expect(resized.versions.map(\.size.height) == [240, 480, 960])
        for version in resized.versions {
            #expect(isRed(try images.pixel(version.data, 20, 20)))
            #expect(!isRed(try images.pixel(version.data, version.size.width - 20, 20)))
        }
        // A quarter of 255 is 64, which is 40 in hexadecimal digits.
        let channels = try channels(resized.color)
        #expect(abs(channels[0] - 64) <= 4)
        #expect(channels[1] <= 8)
        #expect(channels[2] <= 8)
    }

    private func channels(_ color: ImageColor) throws -> [Int] {
        let number = try #require(Int(color.description.dropFirst(), radix: 16))
        return [number >> 16, number >> 8 & 0xFF, number & 0xFF]
    }

    @Test(arguments: [
        (479, []), (480, []), (481, [480]), (960, [480]), (961, [480, 960]), (1_920, [480, 960]),
        (1_921, [480, 960, 1_920]),
    ])
    func `an image is never enlarged`(width: Int, widths: [Int]) async throws {
        let resized = try await resize(images.image(width, 300, ".png"))
        #expect(resized.versions.map(\.size.width) == widths)
    }

    @Test(arguments: [(1, 600, 300), (3, 600, 300), (6, 600, 1_200), (8, 600, 1_200)])
    func `an image is never enlarged as it is shown`(orientation: Int, width: Int, height: Int) async throws {
        let data = try images.image(orientation < 5 ? width : height, orientation < 5 ? height : width, ".jpg")
        let resized = try await resize(data.withEXIF(EXIFBytes.block(orientation: orientation)))
        #expect(resized.versions.map(\.size.width) == [480])
        #expect(resized.versions.map(\.size.height) == [480 * height / width])
    }

    /// The corner that a red quarter at the top left has when the image is upright.
    private static let corners = [
        1: [0, 0], 2: [1, 0], 3: [1, 1], 4: [0, 1], 5: [0, 0], 6: [1, 0], 7: [1, 1], 8: [0, 1],
    ]

    @Test(arguments: 1...8)
    func `an image with an orientation becomes upright`(orientation: Int) async throws {
        let data = try images.image(1_000, 600, ".jpg").withEXIF(EXIFBytes.block(orientation: orientation))
        let version = try #require(try await resize(data).versions.first)
        #expect(version.size.width == 480)
        #expect(version.size.height == (orientation < 5 ? 288 : 800))
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let pixel = try images.pixel(
                version.data,
                20 + x * (version.size.width - 40),
                20 + y * (version.size.height - 40)
            )
            #expect(isRed(pixel) == (Self.corners[orientation] == [x, y]), "\(x), \(y)")
        }
    }

    @Test func `the orientation of a PNG and of a WebP applies, too`() async throws {
        let png = try images.image(1_000, 600, ".png[strip]")
        let chunk = PNGBytes.chunk("eXIf", EXIFBytes.block(orientation: 6))
        let resized = try await resize(png.prefix(33) + chunk + png.dropFirst(33))
        #expect(resized.versions.map(\.size.height) == [800])
        let webp = try images.image(1_000, 600, ".webp[lossless]")
        let exif = WebPBytes.chunk("EXIF", EXIFBytes.block(orientation: 6))
        // The header is written again, with the number of bytes and without the chunk of libvips.
        let pixels = try ImageFile(webp).withoutMetadata.dropFirst(30)
        let turned = WebPBytes.file([WebPBytes.header(0x08, width: 1_000, height: 600), Array(pixels), exif])
        #expect(try await resize(turned).versions.map(\.size.height) == [800])
    }

    @Test func `nothing of a photograph's metadata remains`() async throws {
        let block = EXIFBytes.block(orientation: 6, hasLocation: true, hasPreview: true)
        let data = try images.image(1_000, 600, ".jpg[profile=p3]").withEXIF(block)
        let original = try ImageFile(data)
        #expect(original.metadata.isSuperset(of: [.exif, .location, .preview]))
        for version in try await resize(data).versions {
            for name in ["EXIF", "Exif", "ICCP", "XMP ", "Ann"] {
                #expect(version.data.firstIndex(of: Array(name.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test(arguments: [(255, "#40"), (51, "#d9")])
    func `transparency remains, and its color is that on white`(alpha: Int, color: String) async throws {
        let data = try images.image(1_000, 500, ".png", ["bandjoin_const", "\(alpha)"])
        let resized = try await resize(data)
        let pixel = try images.pixel(try #require(resized.versions.first).data, 20, 20)
        #expect(abs((pixel.count == 4 ? pixel[3] : 255) - alpha) <= 3)
        let expected = try #require(Int(color.dropFirst(), radix: 16))
        #expect(abs(try channels(resized.color)[0] - expected) <= 6, "\(resized.color)")
    }

    @Test func `CMYK becomes sRGB`() async throws {
        let conversion = ["icc_transform", "cmyk", "--input-profile=srgb"]
        for type in [".jpg", ".jpg[profile=none]"] {
            let resized = try await resize(images.image(1_000, 500, type, conversion))
            let pixel = try images.pixel(try #require(resized.versions.first).data, 20, 20)
            #expect(pixel.count == 3)
            // The red of a printer.
            #expect(pixel[0] > 200 && pixel[1] < 80 && pixel[2] < 80, "\(pixel)")
        }
    }

    @Test func `colors of a profile become those of sRGB`() async throws {
        let conversion = ["icc_transform", "p3", "--input-profile=srgb", "--intent=relative"]
        let data = try images.image(1_000, 500, ".png", conversion)
        #expect(try ImageFile(data).hasColorProfile)
        let resized = try await resize(data)
        #expect(isRed(try images.pixel(try #require(resized.versions.first).data, 20, 20)))
    }

    @Test(arguments: [
        ["extract_band", "0"], ["colou" + "rspace", "b-w"], ["colou" + "rspace", "rgb16"],
        ["colou" + "rspace", "gre" + "y16"],
    ])
    func `gray and deep colors are resized`(operation: [String]) async throws {
        let resized = try await resize(images.image(900, 450, ".png", operation))
        #expect(resized.versions.map(\.size.height) == [240])
    }

    @Test func `an animation becomes a still image`() async throws {
        let gif = GIFBytes.file(
            width: 1_000,
            height: 500,
            [GIFBytes.loop, GIFBytes.control, GIFBytes.image(), GIFBytes.control, GIFBytes.image(left: 9)]
        )
        let webp = WebPBytes.file([
            WebPBytes.header(0x02, width: 1_000, height: 500), WebPBytes.animation, WebPBytes.frame(),
            WebPBytes.frame([WebPBytes.lossy()]),
        ])
        for data in [gif, webp] {
            let version = try #require(try await resize(data).versions.first)
            #expect(version.size.height == 240)
            #expect(version.data.firstIndex(of: Array("ANMF".utf8)) == nil)
        }
    }

    @Test func `a small animation gets a still version of its own size, and no other`() async throws {
        let frames = [GIFBytes.control, GIFBytes.image(), GIFBytes.control, GIFBytes.image()]
        let control = PNGBytes.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        let pixels = PNGBytes.chunk("fdAT", [0, 0, 0, 2] + PNGBytes.pixel)
        let webp = [WebPBytes.frame(), WebPBytes.frame([WebPBytes.lossy()])]
        for data in [
            GIFBytes.file([GIFBytes.loop] + frames),
            PNGBytes.file([control, PNGBytes.frame(0)], later: [PNGBytes.frame(1), pixels]),
            WebPBytes.file([WebPBytes.header(0x02), WebPBytes.animation] + webp),
        ] {
            let resized = try await resize(data)
            #expect(resized.versions.map(\.size) == [ImageSize(width: 1, height: 1)])
            #expect(try resized.versions.allSatisfy { try !ImageFile($0.data).isAnimated })
        }
        let wide = try await resize(GIFBytes.file(width: 600, height: 300, frames))
        #expect(wide.versions.map(\.size.width) == [480])
    }

    @Test(arguments: [
        (480, 16_382, 480, 16_382), (480, 16_384, 479, 16_350), (600, 60_000, 163, 16_300), (9, 65_535, 2, 14_563),
        (3, 65_535, 0, 0),
    ])
    func `an animation that is higher than a WebP has a smaller still version`(
        _ width: Int,
        _ height: Int,
        _ stillWidth: Int,
        _ stillHeight: Int
    ) async throws {
        // Of two frames, the first one is red on its left.
        let data = try images.image(width, 2 * height, ".gif[page_height=\(height)]")
        #expect(try ImageFile(data).isAnimated)
        let resized = try await resize(data)
        let sizes = stillWidth > 0 ? [ImageSize(width: stillWidth, height: stillHeight)] : []
        #expect(resized.versions.map(\.size) == sizes)
        guard stillWidth > 100, let version = resized.versions.first else { return }
        #expect(isRed(try images.pixel(version.data, 20, stillHeight - 20)))
    }

    @Test(arguments: [JPEGBytes.file(width: 1, height: 1), PNGBytes.file(), GIFBytes.file(), WebPBytes.file()])
    func `an image of one pixel has a color and no versions`(data: Data) async throws {
        #expect(try await resize(data).versions.isEmpty)
    }

    @Test func `very wide and very high images have the versions that a WebP can be`() async throws {
        let wide = try await resize(images.image(20_000, 500, ".png"))
        #expect(wide.versions.map(\.size.width) == [480, 960, 1_920])
        #expect(wide.versions.map(\.size.height) == [12, 24, 48])
        let flat = try await resize(images.image(20_000, 4, ".png"))
        #expect(flat.versions.map(\.size.height) == [1, 1, 1])
        // 16,000 and 32,000 pixels high.
        let high = try await resize(images.image(961, 32_033, ".png"))
        #expect(high.versions.map(\.size.height) == [16_000])
        #expect(try await resize(images.image(500, 20_000, ".png")).versions.isEmpty)
    }

    @Test func `an image that ends early never reaches the program`() throws {
        let data = try images.image(1_000, 500, ".jpg")
        #expect(throws: InvalidImage.incomplete) { try ImageFile(data.prefix(data.count / 2)) }
    }

    @Test func `an image whose pixels are damaged is a failure or a picture`() async throws {
        // The structure is complete, but there are pixels for one row at most.
        for data in [PNGBytes.file(width: 1_000, height: 500), JPEGBytes.file(width: 5_000, height: 5_000)] {
            do {
                _ = try await resize(data)
            } catch let error as ImageResizingError {
                guard case .failed(_, let message) = error else { throw error }
                #expect(!message.isEmpty)
            }
        }
    }

    @Test func `an image that needs more memory than the limit is a failure`() async throws {
        var limits = ProcessLimits()
        limits.memory = 400_000_000
        let resizer = try await VipsImageResizer(limits: limits)
        let small = try ImageFile(images.image(900, 450, ".png[interlace]"))
        #expect(try await resizer.resize(small).versions.count == 1)
        let image = try ImageFile(images.image(9_000, 11_000, ".png[interlace]"))
        await #expect(throws: ImageResizingError.outOfMemory(limit: 400_000_000)) { try await resizer.resize(image) }
    }
}
