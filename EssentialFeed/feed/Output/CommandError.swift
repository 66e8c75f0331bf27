import ArgumentParser
import Duet
import FeedFeature

/// A failed command: one or two sentences with the failure and what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    let status: ExitStatus

    init(_ description: String, status: ExitStatus = .failure) {
        self.description = description
        self.status = status
    }
}

/// The exit codes of failed commands, with the numbers of `sysexits.h` where it has one.
enum ExitStatus: Int32, CaseIterable {
    /// Any other failure.
    case failure = 1

    /// The arguments are invalid.
    case usage = 64

    /// The server cannot be reached.
    case unavailable = 69

    /// The result is not fresh, although a fresh one was required.
    case stale = 75

    /// A token is missing, refused or without the permission.
    case denied = 77

    init(for error: any Error) {
        switch error {
        case let error as CommandError: self = error.status
        case let error as RemoteFailure: self = error.kind == .connectivity ? .unavailable : .failure
        case is AuthorizationError, is ExposedToken: self = .denied
        default: self = ExitStatus(rawValue: Feed.exitCode(for: error).rawValue) ?? .failure
        }
    }
}

/// A failed command in JSON.
package struct ErrorResult: Codable {
    struct Details: Codable {
        let kind: String
        let code: Int32
        let message: String
    }

    let error: Details

    init(_ status: ExitStatus, _ message: String) {
        error = Details(kind: "\(status)", code: status.rawValue, message: message)
    }
}

extension Feed {
    static func report(_ error: any Error) -> Int32 {
        // Help and the version are not failures, and an exit code was reported already.
        guard exitCode(for: error) != .success, !(error is ExitCode) else {
            let text = fullMessage(for: error)
            if !text.isEmpty { Terminal.print(text) }
            return exitCode(for: error).rawValue
        }
        let status = ExitStatus(for: error)
        if TerminalSettings.current.isJSON {
            Terminal.writeError((try? ErrorResult(status, message(for: error)).json(isPretty: false) + "\n") ?? "")
        } else {
            let text = String(fullMessage(for: error).trimmingPrefix("Error: "))
            Terminal.error(text, isUsage: status == .usage)
        }
        return status.rawValue
    }
}
