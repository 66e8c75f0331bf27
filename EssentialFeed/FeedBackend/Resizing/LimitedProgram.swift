import Duet
import FeedFeature
import Foundation

/// A program that handles third-party bytes in a separate process with limits.
///
/// Input and output are files without names, because a pipe could block either side. The process has no other
/// descriptors of this one, and no environment.
struct LimitedProgram {
    /// The results of a program that ended by itself.
    struct Output {
        let status: Int32
        let data: Data
        /// The beginning of what it printed as errors.
        let messages: String
    }

    /// The program that sets the limits, from Debian's package util-linux.
    private static let limiter = "/usr/bin/prlimit"

    /// The commands that take the network from a program; the first one takes root's privileges, too.
    private static let isolations = [["/usr/bin/unshare", "--user", "--net"], ["/usr/bin/unshare", "--net"]]

    /// The largest part of the messages that is read, in bytes.
    private static let messageLimit = 65_536

    let path: String
    /// Debian's package.
    let package: String
    var environment: [String: String] = [:]
    let limits: ProcessLimits
    let clock: any Clock<Duration>
    let folder: URL
    /// The command in front of the program, if it has one.
    private(set) var isolation: [String] = []

    /// Takes the network from the program where the system allows it.
    ///
    /// - Throws: `CancellationError`.
    mutating func isolate() async throws {
        for isolation in Self.isolations {
            var trial = LimitedProgram(
                path: "/usr/bin/true",
                package: "coreutils",
                limits: ProcessLimits(),
                clock: ContinuousClock(),
                folder: folder
            )
            trial.isolation = isolation
            let isAllowed = (try? await trial.run([], on: Data()).status) == 0
            try Task.checkCancellation()
            guard !isAllowed else { return self.isolation = isolation }
        }
    }

    /// Runs the program and waits for its end.
    ///
    /// A program that takes too long, or whose caller is canceled, is killed with its children.
    ///
    /// - Throws: ``ImageResizingError``, or `CancellationError`.
    func run(_ arguments: [String], on input: Data) async throws -> Output {
        try checkInstallation()
        return try await withTimeout(limits.time, clock: clock, error: ImageResizingError.tooSlow(limit: limits.time)) {
            try Task.checkCancellation()
            return try await start(arguments, on: input)
        }
    }

    private func checkInstallation() throws(ImageResizingError) {
        for (path, package) in [(Self.limiter, "util-linux"), (path, package)]
        where !FileManager.default.isExecutableFile(atPath: path) {
            throw .missingProgram(path: path, package: package)
        }
    }

    private func start(_ arguments: [String], on input: Data) async throws -> Output {
        var files: [FileHandle] = []
        defer { for file in files { try? file.close() } }
        let process = Process()
        let (ends, end) = AsyncStream.makeStream(of: (Process.TerminationReason, Int32).self)
        do {
            for content in [input, Data(), Data()] { files.append(try unnamedFile(content)) }
            process.executableURL = URL(filePath: Self.limiter)
            process.arguments = limits.options + isolation + [path] + arguments
            process.environment = environment
            process.currentDirectoryURL = URL(filePath: "/")
            process.standardInput = files[0]
            process.standardOutput = files[1]
            process.standardError = files[2]
            process.terminationHandler = { end.yield(($0.terminationReason, $0.terminationStatus)) }
            try process.run()
        } catch {
            throw ImageResizingError.notStarted(reason: error.plainReason)
        }
        guard let (reason, status) = await ends.first(where: { _ in true }) else {
            // It is the leader of its process group. Its end is not awaited, because nothing can ignore this signal.
            if process.isRunning { kill(-process.processIdentifier, SIGKILL) }
            throw CancellationError()
        }
        guard reason == .exit else { throw ImageResizingError.killed(signal: status) }
        return Output(
            status: status,
            data: try contents(of: files[1], upTo: limits.outputSize),
            messages: String(decoding: try contents(of: files[2], upTo: Self.messageLimit), as: UTF8.self)
        )
    }

    /// Creates a file that vanishes with its last descriptor.
    private func unnamedFile(_ content: Data) throws -> FileHandle {
        var path = Array(folder.appending(component: "feed-XXXXXX").path.utf8CString)
        let descriptor = unsafe mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unsafe unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: content)
        try file.seek(toOffset: 0)
        return file
    }

    private func contents(of file: FileHandle, upTo limit: Int) throws -> Data {
        try file.seek(toOffset: 0)
        return try file.read(upToCount: limit) ?? Data()
    }
}
