import FeedFeature
import Foundation

/// A sketch of a scanner that goes through the bytes once and makes the images as it meets them.
///
/// It shows what could be gained and no more: it reads only a body in which each item is flat and no text is escaped,
/// and does not say where a fault is.
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

        /// Goes past a comma and is true, or past the closing character and is false.
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
