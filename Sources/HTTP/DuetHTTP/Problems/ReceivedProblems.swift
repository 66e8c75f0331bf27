import Synchronization

/// The problems that other servers sent while this server handled a message.
///
/// A handler that does not catch such a problem would pass another server's details on to its own clients, which is
/// allowed only if its message or the API declares the problem. One that another task received is not known here.
final class ReceivedProblems: Sendable {
    /// Those of the message that this task handles; nil outside of a server.
    @TaskLocal static var current: ReceivedProblems?

    private let identifiers = Mutex<Set<String>>([])

    func insert(_ problem: any HTTPProblem) {
        _ = identifiers.withLock { $0.insert(type(of: problem).problemType) }
    }

    func contains(_ problem: any HTTPProblem) -> Bool {
        identifiers.withLock { $0.contains(type(of: problem).problemType) }
    }
}

/// A problem of another server that a message does not declare.
///
/// The server logs it, and responds with 500.
struct ForeignProblem: Error, CustomStringConvertible {
    let problem: any HTTPProblem
    let message: String

    var description: String {
        """
        \(type(of: problem)) was received from another server, and \(message) does not declare it. To send it on, add \
        .throwing(\(type(of: problem)).self) to its route. \("\(problem)".loggable)
        """
    }
}
