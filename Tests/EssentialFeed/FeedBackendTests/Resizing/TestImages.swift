import FeedFeature
import FeedTesting
import Foundation

/// Makes and reads images with libvips' `vips`, from the same Debian package as `vipsthumbnail`.
struct TestImages {
    struct Missing: Error, CustomStringConvertible {
        let description = "vips is not installed. Run make setup-tests, or apt-get install libvips-tools."
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let program = "/usr/bin/vips"

    private let folder: TemporaryDirectory

    init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else { throw Missing() }
        folder = try TemporaryDirectory()
    }

    /// Returns an image that is black but for a red quarter at its top left.
    ///
    /// - Parameters:
    ///   - type: The end of the file's name, with options, such as `.jpg[profile=p3]`.
    ///   - operation: An operation and its arguments behind the names of its input and its output.
    func image(_ width: Int, _ height: Int, _ type: String, _ operation: [String] = ["copy"]) throws -> Data {
        let source = folder.path("source.v")
        try vips(["black", source, "\(width)", "\(height)", "--bands=3"])
        let size = ["\(max(1, width / 2))", "\(max(1, height / 2))"]
        try vips(["draw_rect", source, "255 0 0", "0", "0"] + size + ["--fill"])
        let image = folder.path("changed.v")
        try vips([operation[0], source, image] + operation.dropFirst())
        let file = folder.path("image")
        try vips(["copy", image, file + type])
        return try Data(contentsOf: URL(filePath: file + type.prefix { $0 != "[" }))
    }

    /// Returns the channels of a pixel.
    func pixel(_ data: Data, _ x: Int, _ y: Int) throws -> [Int] {
        let file = folder.appending("read.webp")
        try data.write(to: file)
        return try vips(["getpoint", file.path, "\(x)", "\(y)"]).split { " \n".contains($0) }.compactMap {
            Double($0).map { Int($0) }
        }
    }

    @discardableResult
    private func vips(_ arguments: [String]) throws -> String {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let messages = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "vips \(arguments.joined(separator: " ")): \(messages)")
        }
        return text
    }
}

extension Data {
    /// Returns a JPEG with a block of EXIF behind its start.
    func withEXIF(_ block: [UInt8]) -> Data {
        prefix(2) + JPEGBytes.segment(0xE1, "Exif\0\0", block) + dropFirst(2)
    }
}
