import CoreMetrics
import FeedFeature
import FeedServing
public import Foundation
import Logging
import Synchronization
import Tracing

/// The metrics and traces of a process that runs servers.
public enum Telemetry {
    /// Collects metrics for the servers' `/metrics`, and identifies the spans of their requests.
    ///
    /// Call it once in the process, before any message is dispatched.
    ///
    /// - Parameters:
    ///   - environment: Provides the time of the start, the randomness of the ids, and the logger.
    ///   - version: The version of the program.
    ///   - trace: The file to which finished spans are appended, each as one line of JSON; nil for none.
    /// - Throws: ``UnwritableTrace``.
    public static func bootstrap(in environment: Environment, version: String, trace: URL? = nil) throws {
        var onEnd: (@Sendable (FinishedSpan) -> Void)?
        if let trace {
            let file = try TraceFile(trace) { [logger = environment.logger] in logger.warning("\($0)") }
            onEnd = { file.append($0) }
        }
        let process = ProcessMetrics(version: version, startedAt: environment.now())
        MetricsSystem.bootstrap(PrometheusMetrics(process: process))
        InstrumentationSystem.bootstrap(RequestTracer(generator: environment.generator, onEnd: onEnd))
    }
}

/// A file of spans that cannot be written.
public struct UnwritableTrace: Error, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// The cause.
    public let underlying: any Error

    /// The failure and what to do about it.
    public var description: String {
        "The spans cannot be written to \(path): \(underlying.plainReason). Choose another file."
    }
}

/// An error for a file that does not hold spans.
private struct OtherFile: Error, CustomStringConvertible {
    let description = "it exists, does not hold spans, and is left unchanged"
}

/// Appends spans to a file, each as one line of JSON.
///
/// Several processes can share a file, because the system appends each line as a whole.
private final class TraceFile: Sendable {
    private let handle: Mutex<FileHandle?>
    private let path: String
    private let onFailure: @Sendable (UnwritableTrace) -> Void

    /// Opens or creates the file; `onFailure` is called when a span cannot be written, after which no more are.
    init(_ file: URL, onFailure: @escaping @Sendable (UnwritableTrace) -> Void) throws(UnwritableTrace) {
        path = file.path(percentEncoded: false)
        self.onFailure = onFailure
        let first = file.isSpecialFile ? nil : try? FileHandle(forReadingFrom: file).read(upToCount: 1)
        guard first.flatMap(\.first) ?? UInt8(ascii: "{") == UInt8(ascii: "{") else {
            throw UnwritableTrace(path: path, underlying: OtherFile())
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let reason = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            throw UnwritableTrace(path: path, underlying: reason)
        }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func append(_ span: FinishedSpan) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let failure = handle.withLock { handle -> UnwritableTrace? in
            do {
                try handle?.write(contentsOf: encoder.encode(span) + Data("\n".utf8))
                return nil
            } catch {
                handle = nil
                return UnwritableTrace(path: path, underlying: error)
            }
        }
        if let failure { onFailure(failure) }
    }
}
