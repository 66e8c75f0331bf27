import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Loads the bytes of an image.
struct Image: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load the bytes of an image from the cache, or else from its server.",
        discussion: """
            "feed load --json" prints the URLs of the images.

            Examples:
              feed image URL -o cat.jpg
              feed image URL -o - | file -
            """
    )

    @Argument(help: ArgumentHelp("The URL of the image.", valueName: "url"), transform: httpURL)
    var url: URL

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"),
        transform: filePath
    )
    var output: String

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        // The image's own URL is the source, so no request goes to the backend.
        let client = try cache.client(remote: httpURL(RemoteOptions.standard))
        let data = try await FeedClient.withDispatcher(client, environment: log.environment(), onWarning: Terminal.note)
        {
            try await $0.dispatch(LoadImageData(url: url))
        }
        guard output != "-" else { return try Terminal.write(data) }
        let file = URL(filePath: output)
        do {
            // An atomic write would replace a device or a pipe with a new file.
            try data.write(to: file, options: file.isSpecialFile ? [] : .atomic)
        } catch {
            throw CommandError(
                "\(output) cannot be written: \(error.plainReason). Choose a file in a writable folder."
            )
        }
        Terminal.note("\(data.count) bytes written to \(output)")
    }
}
