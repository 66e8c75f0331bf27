import FeedFeature
import Foundation
import Testing

struct ImageFormatTests {
    private static let signatures: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF".utf8) + [0x01, 0x02, 0x03, 0x04] + Array("WEBPVP".utf8)),
    ]

    @Test(arguments: signatures)
    func `a format is detected by its first bytes`(format: ImageFormat, bytes: [UInt8]) {
        #expect(ImageFormat(data: Data(bytes)) == format)
        #expect(ImageFormat(data: Data(bytes + [0x00, 0xFF])) == format)
        // A slice has the indices of the original data.
        #expect(ImageFormat(data: Data([0x00] + bytes).dropFirst()) == format)
    }

    @Test(arguments: signatures)
    func `a truncated or changed signature is not an image`(format: ImageFormat, bytes: [UInt8]) {
        #expect(ImageFormat(data: Data(bytes.dropLast())) == nil)
        #expect(ImageFormat(data: Data([0x00] + bytes)) == nil)
        for index in bytes.indices where !(format == .webp && (4..<8).contains(index)) {
            var changed = bytes
            changed[index] ^= 0x20
            #expect(ImageFormat(data: Data(changed)) == nil, "byte \(index)")
        }
    }

    @Test(arguments: ["", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "BM", "RIFF", "not an image"])
    func `anything else is not an image`(text: String) {
        #expect(ImageFormat(data: Data(text.utf8)) == nil)
    }

    @Test func `each format has its media type`() {
        #expect(ImageFormat.allCases.map(\.mediaType) == ["image/jpeg", "image/png", "image/gif", "image/webp"])
    }
}
