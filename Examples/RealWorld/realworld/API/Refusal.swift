import Duet
import DuetHTTP
import Foundation
import HTTPTypes

/// A refused request: `{"errors": {"title": ["can't be blank"]}}`, with the texts by member.
struct Refusal: HTTPProblem, Hashable, CustomStringConvertible {
    static let problemType = "urn:realworld:refusal"

    let code: Int
    let errors: [String: [String]]

    init(_ status: HTTPResponse.Status, _ errors: [String: [String]]) {
        code = status.code
        self.errors = errors
    }

    static func invalid(_ errors: [String: [String]]) -> Refusal { Refusal(.unprocessableContent, errors) }
    static func notFound(_ kind: String) -> Refusal { Refusal(.notFound, [kind: ["not found"]]) }
    static func forbidden(_ kind: String) -> Refusal { Refusal(.forbidden, [kind: ["forbidden"]]) }
    static let noToken = Refusal(.unauthorized, ["token": ["is missing"]])
    static let wrongPassword = Refusal(.unauthorized, ["credentials": ["invalid"]])

    var status: HTTPResponse.Status { HTTPResponse.Status(code: code) }

    var description: String {
        errors.sorted { $0.key < $1.key }.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: "; ").visible
    }
}

/// The errors of the wire format.
private struct ErrorBody: Codable {
    let errors: [String: [String]]
}

extension Refusal {
    /// Writes each refusal of the server, with or without a handler's error.
    static let format: RefusalFormat = { refusal in
        let error = refusal.error as? Refusal ?? (refusal.status == .unauthorized ? noToken : nil)
        if let error { return RefusalContent(ErrorBody(errors: error.errors)) }
        let member = refusal.member?.split(separator: ".").last ?? "request"
        let text = (refusal.detail ?? refusal.status.reasonPhrase).trimmingPrefix("\(refusal.member ?? "") ")
        let status: HTTPResponse.Status? = refusal.status == .badRequest ? .unprocessableContent : nil
        return RefusalContent(ErrorBody(errors: [String(member): [String(text)]]), status: status)
    }

    /// Reads the content of ``format``; nil for a failure that may end by itself.
    init?(_ response: HTTPResponse, _ body: Data) throws {
        guard 400..<500 ~= response.status.code, ![.requestTimeout, .tooManyRequests].contains(response.status) else {
            return nil
        }
        self.init(response.status, try JSONDecoder().decode(ErrorBody.self, from: body).errors)
    }
}
