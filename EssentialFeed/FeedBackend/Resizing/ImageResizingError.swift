package enum ImageResizingError: Error, Hashable {
    /// A program is not installed; `package` is that of Debian.
    case missingProgram(path: String, package: String)

    /// The system did not start the program.
    case notStarted(reason: String)

    /// The program was killed because it took longer than the limit.
    case tooSlow(limit: Duration)

    /// The program needed more memory than the limit, in bytes.
    case outOfMemory(limit: Int)

    /// The program ended by a signal, such as that of a limit.
    case killed(signal: Int32)

    /// The program reported a failure; `message` is its own, on one line and safe to log.
    case failed(status: Int32, message: String)

    /// The program reported success, but the result is not the version that was requested.
    case invalidResult(reason: String)
}

extension ImageResizingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missingProgram(let path, let package):
            "Images cannot be resized, because \(path) is not installed. On Debian, run: apt-get install \(package)"
        case .notStarted(let reason):
            "The image was not resized, because the program did not start: \(reason)."
        case .tooSlow(let limit):
            "The image was not resized within \(limit)."
        case .outOfMemory(let limit):
            "The image was not resized, because it needs more than \(limit / 1_048_576) MiB of memory."
        case .killed(let signal):
            "The image was not resized: the program ended by signal \(signal), as when it exceeds a limit."
        case .failed(let status, let message):
            "The image was not resized: the program failed with status \(status). It printed: \(message)"
        case .invalidResult(let reason):
            "The image was not resized, because the result \(reason)."
        }
    }
}
