import DuetTesting
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

/// Programs in place of `vipsthumbnail` that do what one might do after a stranger has taken it over.
struct HostileProgramTests {
    private let folder: TemporaryDirectory
    private let files: TemporaryDirectory
    private let image: ImageFile
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryDirectory()
        files = try TemporaryDirectory()
        image = try ImageFile(PNGBytes.file(width: 960, height: 480))
    }

    private var program: URL { folder.appending("program") }

    /// Creates a resizer with a shell script as its program.
    ///
    /// The script can write files whose names begin with `$0`.
    private func resizer(_ script: String, limits: ProcessLimits = ProcessLimits()) async throws -> VipsImageResizer {
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return try await VipsImageResizer(path: program.path, limits: limits, clock: clock, folder: files.url)
    }

    /// Runs a script that fails, and checks that no file of the run is open or left.
    private func failure(
        _ script: String,
        limits: ProcessLimits = ProcessLimits()
    ) async throws -> ImageResizingError? {
        let resizer = try await resizer(script, limits: limits)
        let error = await #expect(throws: ImageResizingError.self) { try await resizer.resize(image) }
        try checkFiles()
        return error
    }

    private func checkFiles() throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.url.path).isEmpty)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(open.filter { $0.hasPrefix(files.url.path) } == [])
    }

    /// Reads a file that a script writes, when it ends with a line.
    private func line(_ name: String) async throws -> String {
        while true {
            let text = try? String(contentsOf: folder.appending("program.\(name)"), encoding: .utf8)
            if let text, text.hasSuffix("\n") { return String(text.dropLast()) }
            try await pause()
        }
    }

    /// Waits until a process has ended and left no zombie.
    private func end(of process: String) async throws {
        let id = try #require(pid_t(process))
        while kill(id, 0) == 0 { try await pause() }
    }

    /// Waits between two polls; the length does not affect the result, because the loops wait for an event.
    private func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(2)) }

    @Test func `a missing program is reported with the package to install`() async throws {
        let resizer = try await VipsImageResizer(path: folder.path("missing"))
        let error = await #expect(throws: ImageResizingError.self) { try await resizer.resize(image) }
        #expect(error == .missingProgram(path: folder.path("missing"), package: "libvips-tools"))
        #expect("\(try #require(error))".hasSuffix("is not installed. On Debian, run: apt-get install libvips-tools"))
    }

    @Test func `a folder that cannot be written is reported`() async throws {
        let path = folder.path("program")
        _ = try await resizer("exit 0")
        let resizer = try await VipsImageResizer(path: path, folder: folder.appending("missing"))
        let error = await #expect(throws: ImageResizingError.self) { try await resizer.resize(image) }
        guard case .notStarted(let reason)? = error else { throw try #require(error) }
        #expect(!reason.isEmpty)
    }

    @Test func `a status and the messages are reported on one line`() async throws {
        let script = #"printf 'cannot read\n\n\033[31mthe file\n' >&2; exit 7"#
        #expect(try await failure(script) == .failed(status: 7, message: "cannot read;  [31mthe file"))
        #expect(try await failure("exit 1") == .failed(status: 1, message: ""))
    }

    @Test func `long messages are cut`() async throws {
        let error = try await failure("yes message | head -c 100000 >&2; exit 1")
        guard case .failed(1, let message)? = error else { throw try #require(error) }
        #expect(message.count == 301)
    }

    @Test func `a crash is reported with its signal`() async throws {
        // The only signal that a thread of Swift's concurrency does not block for its children.
        #expect(try await failure("kill -s KILL $$; exit 9") == .killed(signal: SIGKILL))
    }

    @Test(arguments: [
        "exec sleep 1000", "trap '' TERM INT HUP; while :; do sleep 1000; done", "exec 0<&- 1>&- 2>&-; sleep 1000",
        "sleep 1000 & sleep 1000 & wait", "kill -s STOP $$",
        "exec /bin/bash -c 'for n in {3..254}; do eval \"exec $n>&-\"; done; sleep 1000'",
    ])
    func `a program that hangs is killed with its children`(script: String) async throws {
        let resizer = try await resizer("echo $$ >$0.process; \(script)")
        let task = Task { try await resizer.resize(image) }
        let process = try await line("process")
        #expect(await clock.nextSleeper() == .seconds(30))
        clock.advance(by: .seconds(30))
        await #expect(throws: ImageResizingError.tooSlow(limit: .seconds(30))) { try await task.value }
        try await end(of: process)
        try checkFiles()
    }

    @Test func `the children of a program that hangs are killed`() async throws {
        let resizer = try await resizer("sleep 1000 & echo $! >$0.child; wait")
        let task = Task { try await resizer.resize(image) }
        let child = try await line("child")
        await clock.nextSleeper()
        clock.advance(by: .seconds(30))
        await #expect(throws: ImageResizingError.self) { try await task.value }
        try await end(of: child)
    }

    @Test(arguments: ["exec sleep 1000", "trap '' TERM; while :; do sleep 1000; done"])
    func `cancellation kills the program`(script: String) async throws {
        let resizer = try await resizer("echo $$ >$0.process; \(script)")
        let task = Task { try await resizer.resize(image) }
        let process = try await line("process")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await end(of: process)
        try checkFiles()
    }

    @Test func `a canceled caller starts nothing`() async throws {
        let resizer = try await resizer("echo $$ >$0.process")
        let result = await canceled { try await resizer.resize(image) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(!FileManager.default.fileExists(atPath: folder.path("program.process")))
        let creation = await canceled { try await VipsImageResizer() }
        #expect(throws: CancellationError.self) { try creation.get() }
    }

    @Test(arguments: ["exec cat /dev/zero", "exec cat /dev/zero >&2", "while :; do echo message; done"])
    func `endless output ends at the limit`(script: String) async throws {
        var limits = ProcessLimits()
        limits.outputSize = 100_000
        limits.processorSeconds = 1
        let error = try await failure(script, limits: limits)
        switch try #require(error) {
        // The signal of the limit, the limit of the processor time, or an error of the write.
        case .killed(SIGXFSZ), .killed(SIGKILL), .failed: break
        case let error: throw error
        }
    }

    @Test func `an endless computation is killed`() async throws {
        var limits = ProcessLimits()
        limits.processorSeconds = 1
        #expect(try await failure("while :; do :; done", limits: limits) == .killed(signal: SIGKILL))
    }

    @Test func `success without memory for parts of the image is a failure`() async throws {
        let script = "echo '(vipsthumbnail:1): VIPS-WARNING **: out of memory --- size == 1MB' >&2; cat $0.result"
        try WebPBytes.file([WebPBytes.lossy(width: 480, height: 240)]).write(to: folder.appending("program.result"))
        #expect(try await failure(script) == .outOfMemory(limit: 1_073_741_824))
    }

    private static let wrong: [(Data, String)] = [
        (Data(), "must be a JPEG, PNG, GIF or WebP image"),
        (Data("<svg/>".utf8), "must be a JPEG, PNG, GIF or WebP image"),
        (WebPBytes.file().dropLast(2), "ends before the image is complete, as after an interrupted copy or upload"),
        (WebPBytes.file(), "is a webp of 1 × 1 pixels, not a webp of 480 × 240"),
        (JPEGBytes.file(width: 480, height: 240), "is a jpeg of 480 × 240 pixels, not a webp of 480 × 240"),
        (webp(481, 240), "is a webp of 481 × 240 pixels, not a webp of 480 × 240"),
        (webp(480, 242), "is a webp of 480 × 242 pixels, not a webp of 480 × 240"),
        (webp(480, 238), "is a webp of 480 × 238 pixels, not a webp of 480 × 240"),
        (turned(480, 240), "is a webp of 240 × 480 pixels, not a webp of 480 × 240"),
        // The version is right, but the color is one.
        (webp(480, 241), "is not a pixel"), (webp(480, 239), "is not a pixel"),
    ]

    private static func webp(_ width: Int, _ height: Int) -> Data {
        WebPBytes.file([WebPBytes.lossy(width: width, height: height)])
    }

    private static func turned(_ width: Int, _ height: Int) -> Data {
        WebPBytes.file([
            WebPBytes.header(0x08, width: width, height: height), WebPBytes.lossy(width: width, height: height),
            WebPBytes.chunk("EXIF", EXIFBytes.block(orientation: 6)),
        ])
    }

    @Test(arguments: wrong)
    func `another result than the requested one is refused`(result: Data, reason: String) async throws {
        try result.write(to: folder.appending("program.result"))
        #expect(try await failure("cat $0.result") == .invalidResult(reason: reason))
    }

    /// A program that returns a version, or the pixel of `$0.pixel`, and does not read its input.
    private static let honest = #"case "$*" in *1x1*) cat $0.pixel;; *) cat $0.result;; esac"#

    @Test(arguments: [
        ("P6\n#vips2ppm - \n1 1\n255\n\u{1}\u{10}\u{7F}", "#01107f"), ("P6\n1 1\n255\n\0\0\0", "#000000"),
        ("P6\n1 1\n255\n\n\n\n", "#0a0a0a"), ("P6\n2 1\n255\n\0\0\0", nil), ("P5\n1 1\n255\n\0\0\0", nil),
        ("P6\n1 1\n255\n\0\0", nil), ("", nil), ("P6", nil), ("P6\n1 1\n255\n\0\0\0\0", nil),
    ])
    func `a color is read`(pixel: String, color: String?) async throws {
        try Self.webp(480, 240).write(to: folder.appending("program.result"))
        try Data(pixel.utf8).write(to: folder.appending("program.pixel"))
        guard let color else {
            return #expect(try await failure(Self.honest) == .invalidResult(reason: "is not a pixel"))
        }
        let resized = try await resizer(Self.honest).resize(image)
        #expect(resized.color.description == color)
        #expect(
            resized.versions == [
                .init(size: try #require(ImageSize(width: 480, height: 240)), data: Self.webp(480, 240))
            ]
        )
    }

    @Test func `metadata in a result is left out`() async throws {
        let picture = WebPBytes.lossy(width: 480, height: 240)
        let header = { WebPBytes.header($0, width: 480, height: 240) }
        let exif = WebPBytes.chunk("EXIF", EXIFBytes.block(hasLocation: true))
        try WebPBytes.file([header(0x08), picture, exif]).write(to: folder.appending("program.result"))
        try Data("P6\n1 1\n255\n\0\0\0".utf8).write(to: folder.appending("program.pixel"))
        let resized = try await resizer(Self.honest).resize(image)
        #expect(resized.versions.map(\.data) == [WebPBytes.file([header(0), picture])])
    }

    @Test func `the program gets the image without metadata, limits, and no secrets`() async throws {
        let secret = folder.appending("secret")
        try Data("secret".utf8).write(to: secret)
        let handle = try FileHandle(forReadingFrom: secret)
        defer { try? handle.close() }
        _ = fcntl(handle.fileDescriptor, F_SETFD, 0)
        let script = """
            cat >$0.input
            echo "$*" >$0.arguments
            tr '\\0' '\\n' </proc/$$/environ >$0.environment
            cat /proc/$$/limits >$0.limits
            cat /proc/net/dev >$0.network
            ls -l /proc/$$/fd >$0.descriptors
            pwd >$0.folder
            exit 1
            """
        let resizer = try await resizer(script)
        let data = PNGBytes.file(width: 1_000, height: 500, [PNGBytes.chunk("tEXt", Array("Author\0Ann".utf8))])
        await #expect(throws: ImageResizingError.self) { try await resizer.resize(ImageFile(data)) }
        func written(_ name: String) throws -> String {
            try String(contentsOf: folder.appending("program.\(name)"), encoding: .utf8)
        }
        #expect(try Data(contentsOf: folder.appending("program.input")) == PNGBytes.file(width: 1_000, height: 500))
        let arguments = "stdin --vips-concurrency=1 --size=480x --output=.webp[Q=75,profile=none]\n"
        #expect(try written("arguments") == arguments)
        let environment = try written("environment").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(environment.sorted() == ["", "MALLOC_ARENA_MAX=2", "VIPS_BLOCK_UNTRUSTED=1"])
        #expect(try written("folder") == "/\n")
        let limits = try written("limits").split(separator: "\n")
        for (name, limit) in [
            ("Max address space", "1073741824"), ("Max cpu time", "10"), ("Max file size", "16777216"),
            ("Max core file size", "0"),
        ] {
            let words = try #require(limits.first { $0.hasPrefix(name) }).dropFirst(name.count).split(separator: " ")
            #expect(words.prefix(2) == [limit[...], limit[...]], "\(name)")
        }
        #expect(try !written("descriptors").contains("secret"))
        if resizer.isIsolated {
            let devices = try written("network").split(separator: "\n").dropFirst(2)
            #expect(devices.allSatisfy { $0.drop { $0 == " " }.hasPrefix("lo:") }, "\(devices)")
        }
    }

    @Test func `many images at once are resized, each with its own result`() async throws {
        try Self.webp(480, 240).write(to: folder.appending("program.result"))
        try Data("P6\n1 1\n255\n\0\0\0".utf8).write(to: folder.appending("program.pixel"))
        let resizer = try await resizer("cat >/dev/null; " + Self.honest)
        try await withThrowingTaskGroup(of: ResizedImage.self) { group in
            for _ in 0..<20 { group.addTask { try await resizer.resize(image) } }
            for try await resized in group { #expect(resized.versions.count == 1) }
        }
        try checkFiles()
    }
}
