import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Image: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the texts of an image in the terminal, or write its bytes to a file.",
        discussion: """
            The image comes from the cache, or else from its server. A file and a pipe get the original. "feed load" \
            prints the ids. The beginning of an id is enough if no other id begins with it.

            An existing file with other content is left unchanged.

            EXAMPLES:
              feed image 8112E60D
              feed image 8112E60D -o dandelions.jpg
              feed image 8112E60D | file -

            JSON:
              {"author": "Ann", "bytes": 1024, "caption": "Make a wish",
               "commentCount": 3, "description": "Dandelions", "file": "dandelions.jpg",
               "height": 600, "id": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
               "isAnimated": false, "location": "Athens", "mediaType": "image/jpeg",
               "publishedAt": "2026-03-01T09:12:44Z",
               "url": "http://127.0.0.1:8080/v1/image/1",
               "versions": [{"url": "http://127.0.0.1:8080/v1/image/2", "width": 400}],
               "width": 800}
            Members without a value are left out; "bytes", "id", "isAnimated", "url" and "versions" are always there.
            """
    )

    @OptionGroup var image: ImageArgument

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The new file to write; - for standard output.", valueName: "file"),
        completion: .file(),
        transform: filePath
    )
    var file: String?

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        if output.json, file == "-" {
            throw ValidationError("--json and --output - contradict each other. Write the image to a file.")
        }
    }

    func run() async throws {
        let (found, data) = try await log.withDispatcher(
            of: cache.client(remote: remote.url, timeout: remote.duration)
        ) { dispatcher in
            var found = try await dispatcher.image(image.reference)
            do {
                // Its texts may have been corrected since it was loaded.
                found = try await dispatcher.dispatch(LoadImageDetails(id: found.id))
            } catch is RemoteFailure {}
            return (found, showsTexts ? nil : try await dispatcher.dispatch(LoadImageData(url: found.url)))
        }
        guard let data else {
            FeedOutput(language: output.language.language, now: log.environment().now()).print(found)
            try Terminal.flush()
            return Terminal.note(output.text(.terminalSeePicture))
        }
        if let file, file != "-" { try write(data, to: file) }
        if output.json {
            try output.format.print(ImageResult(found, bytes: .init(data: data, file: file)))
        } else if file == nil || file == "-" {
            try Terminal.write(data)
        }
    }

    /// Whether to print texts for a person, in place of the bytes.
    private var showsTexts: Bool { file == nil && !output.json && Terminal.isInteractive }

    private func write(_ data: Data, to path: String) throws {
        let file = URL(filePath: path)
        if !file.isSpecialFile, let existing = try? Data(contentsOf: file), !existing.isEmpty, existing != data {
            throw CommandError("\(path) exists and is left unchanged. Choose another file, or remove it first.")
        }
        do {
            // An atomic write would replace a device or a pipe with a new file.
            try data.write(to: file, options: file.isSpecialFile ? [] : .atomic)
        } catch {
            throw CommandError("\(path) cannot be written: \(error.plainReason). Choose a file in a writable folder.")
        }
        Terminal.note("\(data.count) bytes written to \(path)")
    }
}
