import Foundation
import HTTPTypes

extension HTTPFailure: CustomStringConvertible {
    /// The message, the status, the request and what the server says of it, each cut to a line, and what to do where
    /// that is known.
    ///
    /// The URL is scheme, host and path as they were sent, without user information and query; nothing of the body is
    /// told but what a problem says.
    public var description: String { description(asking: " to \(question)") }

    /// The same without the URL, where a path with its values would be too much.
    package var descriptionWithoutURL: String { description(asking: "") }

    private func description(asking question: String) -> String {
        let phrase = response.status.reasonPhrase.loggable
        let answer =
            "\(message): the server answered with \(response.status.code)" + (phrase.isEmpty ? "" : " \(phrase)")
            + question + (attempts.count > 1 ? " after \(attempts.count) attempts" : "")
        return switch reason {
        case .status:
            answer + (problem.flatMap { $0.detail ?? $0.title }.map { ": \($0.loggable)." } ?? ".")
                + ((problemNote ?? statusNote).map { " \($0)" } ?? "")
        case .mediaType:
            "\(answer), but in \(mediaType), which is not JSON."
        case .body(let error):
            "\(answer), but not with what was agreed on: \(Self.told(error))."
        }
    }

    private var mediaType: String { (response.headerFields[.contentType] ?? "no media type").loggable }

    /// What to do about an answer of this status, where that is known.
    private var statusNote: String? {
        if Redirects.statuses.contains(response.status.code), response.headerFields[.location] != nil {
            return "It redirects to another address. Add followingRedirects() to the client to go there."
        }
        guard problem == nil, looksLikeProblem else { return nil }
        return
            "Its body looks like a problem (RFC 9457), which must come as application/problem+json, not as \(mediaType)."
    }

    /// Whether the body is a problem but for its media type.
    private var looksLikeProblem: Bool {
        guard body.count <= ProblemDetails.maximumSize,
            MediaType(response.headerFields[.contentType])?.essence != ProblemDetails.mediaType,
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: body)
        else { return false }
        return members["status"] != nil && (members["type"] ?? members["title"]) != nil
    }

    private static func told(_ error: any Error) -> String {
        // Its own description is long, and names the types of keys.
        let error = (error as? DecodingError).map { HTTPMessageError($0) } ?? error
        return "\(error)".loggable
    }
}
