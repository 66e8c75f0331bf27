import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import FeedPresentation
import Foundation

struct Image: AsyncParsableCommand {
    /// The number of lines of a picture in the terminal.
    private static let pictureLines = 20

    static let configuration = CommandConfiguration(
        abstract: "Show an image in the terminal, or write its bytes to a file.",
        discussion: """
            The image comes from the cache, or else from its server. A file and a pipe get the original, and a picture \
            in the terminal may be a smaller version. "feed load" prints the ids. The beginning of an id is enough if \
            no other id begins with it.

            Pictures appear in iTerm2, WezTerm, Konsole, mintty and VS Code; in kitty and Ghostty only PNG pictures. \
            Other terminals show the texts. In a pipe the command writes the bytes.

            An existing file with other content is left unchanged.

            EXAMPLES:
              feed image 8112E60D
              feed image 8112E60D -o dandelions.jpg
              feed image 8112E60D | file -

            JSON:
              {"id", "description"?, "caption"?, "location"?, "author"?, "publishedAt"?, "commentCount"?,
               "width"?, "height"?, "isAnimated", "url", "versions": [{"width", "url"}], "bytes", "mediaType"?, "file"?}
            """
    )

    @Argument(help: ArgumentHelp("The image's id, or its beginning.", valueName: "id"), transform: idReference)
    var image: IDReference

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The new file to write; - for standard output.", valueName: "file"),
        completion: .file(),
        transform: filePath
    )
    var file: String?

    @Option(help: ArgumentHelp("When to show the picture in the terminal.", valueName: "when"))
    var images = DisplayChoice.auto

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
            var found = try await dispatcher.image(image)
            do {
                // Its texts may have been corrected since it was loaded.
                found = try await dispatcher.dispatch(LoadImageDetails(id: found.id))
            } catch is RemoteFailure {}
            return (found, try await dispatcher.dispatch(LoadImageData(url: location(of: found))))
        }
        if let file, file != "-" { try write(data, to: file) }
        if output.json {
            try output.format.print(
                found.json.adding(["bytes": data.count, "mediaType": ImageFormat(data: data)?.mediaType, "file": file])
            )
        } else if file == nil {
            let now = log.environment().now()
            try show(found, data: data, output: FeedOutput(language: output.language.language, now: now))
        } else if file == "-" {
            try Terminal.write(data)
        }
    }

    /// The original, except for a picture that is only shown in the terminal; kitty cannot show the versions.
    private func location(of image: FeedImage) -> URL {
        let isShown = file == nil && !output.json && Terminal.isInteractive && Terminal.pictures(images) != .kitty
        return isShown ? image.storedURLs.last ?? image.url : image.url
    }

    private func show(_ image: FeedImage, data: Data, output: FeedOutput) throws {
        let kind = Terminal.pictures(images)
        guard kind != nil || Terminal.isInteractive else { return try Terminal.write(data) }
        let picture = kind?.sequence(for: data, lines: Self.pictureLines)
        output.print(image, picture: picture)
        try Terminal.flush()
        if picture == nil { Terminal.note(self.output.text(.terminalSeePicture)) }
    }

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
