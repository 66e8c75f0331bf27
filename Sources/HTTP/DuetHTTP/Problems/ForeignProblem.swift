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
