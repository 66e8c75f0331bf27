import FeedFeature
import Foundation

/// A sketch of a scanner that reads the bytes once and creates each image when it has read it.
///
/// It only shows how much time could be saved. It reads bodies in which each item is flat and no text is escaped, and
/// does not report the place of a fault.
enum ScannerSketch {
    static func map(_ data: Data) throws -> [FeedImage] {
        try data.withUnsafeBytes { bytes in
            var scanner = Scanner(bytes: bytes)
            return try scanner.feed()
        }
    }

    private struct Scanner {
        let bytes: UnsafeRawBufferPointer
        var index = 0

        mutating func feed() throws -> [FeedImage] {
            try skip("{")
            guard try text() == "items" else { throw WrongFeed() }
            try skip(":")
            try skip("[")
            var images: [FeedImage] = []
            if try peek() == UInt8(ascii: "]") { return images }
            repeat { images.append(try item()) } while try separator(closing: "]")
            return images
        }

        private mutating func item() throws -> FeedImage {
            var (id, url): (UUID?, URL?)
            var (description, location): (String?, String?)
            try skip("{")
            repeat {
                let key = try text()
                try skip(":")
                let value = try text()
                switch key {
                case "id": id = UUID(uuidString: value)
                case "image": url = URL(string: value)
                case "description": description = value
                case "location": location = value
                default: break
                }
            } while try separator(closing: "}")
            guard let id, let url else { throw WrongFeed() }
            return FeedImage(id: id, description: description, location: location, url: url)
        }

        /// Skips a comma and returns true, or skips the closing character and returns false.
        private mutating func separator(closing: Unicode.Scalar) throws -> Bool {
            let byte = try peek()
            index += 1
            if byte == UInt8(ascii: ",") { return true }
            guard byte == UInt8(ascii: closing) else { throw WrongFeed() }
            return false
        }

        private mutating func text() throws -> String {
            try skip("\"")
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                guard bytes[index] != UInt8(ascii: "\\") else { throw WrongFeed() }
                index += 1
            }
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            try skip("\"")
            return text
        }

        private mutating func skip(_ character: Unicode.Scalar) throws {
            guard try peek() == UInt8(ascii: character) else { throw WrongFeed() }
            index += 1
        }

        /// The next byte that is not white space.
        private mutating func peek() throws -> UInt8 {
            while index < bytes.count {
                switch bytes[index] {
                case 0x20, 0x09, 0x0A, 0x0D: index += 1
                default: return bytes[index]
                }
            }
            throw WrongFeed()
        }
    }
}
