import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// The bytes of one image.
struct Image: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load the bytes of an image, from the cache or else from its server."
    )

    @Argument(help: ArgumentHelp("Where the image is.", valueName: "url"), transform: httpURL)
    var url: URL

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"),
        transform: filePath
    )
    var output: String

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        // The backend is not asked: the image's URL says where its bytes are.
        let client = try cache.client(remote: httpURL(RemoteOptions.standard))
        let data = try await FeedClient.withDispatcher(client, environment: log.environment(), onWarning: Terminal.note)
        {
            try await $0.dispatch(LoadImageData(url: url))
        }
        guard output != "-" else { return try Terminal.write(data) }
        let file = URL(filePath: output)
        do {
            // Whole or not at all; but a device or a pipe is written into: a new file must not take its place.
            try data.write(to: file, options: file.isSpecialFile ? [] : .atomic)
        } catch {
            throw CommandError(
                "\(output) cannot be written: \(error.plainReason). Give a file in a folder that can be."
            )
        }
        Terminal.note("\(data.count) bytes written to \(output)")
    }
}
