import HTTPTypes

extension HTTPFailure: CustomStringConvertible {
    /// The message, the status, and what the server says of it, cut to a line, and what keeps its problem from being an error of a
    /// type of its own; nothing of the body besides.
    public var description: String {
        let phrase = response.status.reasonPhrase.loggable
        let answer =
            "\(message): the server answered with \(response.status.code)" + (phrase.isEmpty ? "" : " \(phrase)")
        return switch reason {
        case .status:
            answer + (problem.flatMap { $0.detail ?? $0.title }.map { ": \($0.loggable)." } ?? ".")
                + (problemNote.map { " \($0)" } ?? "")
        case .mediaType:
            "\(answer), but in \((response.headerFields[.contentType] ?? "").loggable), which is not JSON."
        case .body(let error):
            "\(answer), but not with what was agreed on: \(Self.told(error))."
        }
    }

    private static func told(_ error: any Error) -> String {
        // Its own description is long, and names the types of keys.
        let error = (error as? DecodingError).map { HTTPMessageError($0) } ?? error
        return "\(error)".loggable
    }
}
