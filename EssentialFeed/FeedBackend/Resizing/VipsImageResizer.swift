import Duet
import DuetHTTP
package import FeedFeature
package import Foundation

/// An image resizer that runs libvips' `vipsthumbnail`, once for each version.
///
/// A fault in a decoder ends that program and not this one. Where the system allows it, the program has no network.
package struct VipsImageResizer: ImageResizer {
    private let program: LimitedProgram

    /// Creates a resizer, and tries how the program can be isolated.
    ///
    /// - Parameters:
    ///   - path: The program, from Debian's package libvips-tools. Whether it is installed is checked on each use.
    ///   - limits: The resources for each version.
    ///   - clock: The clock of the time limit.
    ///   - folder: The place of files that have no names; they need twice the size of an image at most.
    /// - Throws: `CancellationError`.
    package init(
        path: String = "/usr/bin/vipsthumbnail",
        limits: ProcessLimits = ProcessLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        folder: URL = FileManager.default.temporaryDirectory
    ) async throws {
        var program = LimitedProgram(
            path: path,
            package: "libvips-tools",
            // Only the decoders that are tested against hostile images. By default, each busy thread reserves 64 MB of
            // the memory that the limit allows (glibc, `malloc`).
            environment: ["VIPS_BLOCK_UNTRUSTED": "1", "MALLOC_ARENA_MAX": "2"],
            limits: limits,
            clock: clock,
            folder: folder
        )
        try await program.isolate()
        self.program = program
    }

    /// Whether the program has no network.
    package var isIsolated: Bool { !program.isolation.isEmpty }

    package func resize(_ image: ImageFile) async throws -> ResizedImage {
        let data = image.withoutMetadata
        // With a profile for colors that are in sRGB already, libvips would change them.
        let conversion = image.hasColorProfile ? ["--export-profile=srgb"] : []
        var versions: [ResizedImage.Version] = []
        for size in ResizedImage.sizes(for: image) {
            let output = ["--size=\(size.width)x", "--output=.webp[Q=75,profile=none]"]
            let result = try await run(output + conversion, on: data)
            versions.append(try version(result, size))
        }
        let pixel = ["--size=1x1!", "--output=.ppm[background=255]"]
        let color =
            if let smallest = versions.first {
                try await run(pixel, on: smallest.data)
            } else {
                try await run(pixel + conversion, on: data)
            }
        return ResizedImage(versions: versions, color: try average(color))
    }

    private func run(_ arguments: [String], on data: Data) async throws -> Data {
        let output = try await program.run(["stdin", "--vips-concurrency=1"] + arguments, on: data)
        // libvips may succeed without memory for some parts of the image, which are black then.
        guard !output.messages.contains("out of memory") else {
            throw ImageResizingError.outOfMemory(limit: program.limits.memory)
        }
        guard output.status == 0 else {
            let lines = output.messages.split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw ImageResizingError.failed(status: output.status, message: lines.safe(upTo: 300))
        }
        return output.data
    }

    /// Checks a result as if it came from a stranger, because the program may have been taken over by one.
    private func version(
        _ result: Data,
        _ expected: ImageSize
    ) throws(ImageResizingError) -> ResizedImage.Version {
        let file: ImageFile
        do { file = try ImageFile(result) } catch { throw .invalidResult(reason: error.reason) }
        let size = file.shownSize
        guard file.format == .webp, !file.isAnimated, size.width == expected.width,
            abs(size.height - expected.height) <= 1
        else {
            let found =
                "is \(file.isAnimated ? "an animated" : "a") \(file.format) of \(size.width) × \(size.height) pixels"
            throw .invalidResult(reason: "\(found), not a webp of \(expected.width) × \(expected.height)")
        }
        return ResizedImage.Version(size: size, data: file.withoutMetadata)
    }

    /// Reads the only pixel of a portable pixmap, whose header ends with its size and its largest value.
    private func average(_ pixmap: Data) throws(ImageResizingError) -> ImageColor {
        let header = pixmap.dropLast(3)
        guard header.starts(with: "P6\n".utf8), header.suffix(9).elementsEqual("\n1 1\n255\n".utf8),
            let color = ImageColor("#\(FieldSyntax.hexadecimal(pixmap.suffix(3)))")
        else { throw .invalidResult(reason: "is not a pixel") }
        return color
    }
}
