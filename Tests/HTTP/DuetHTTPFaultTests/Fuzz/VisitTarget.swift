import DuetHTTP
import FeedPresentation
import FeedWeb
import Foundation
import FuzzTesting
import HTTPTypes
import Hummingbird
import NIOCore

/// The part of a request for a page that anyone can choose: the cookies, the languages, and the position in the feed.
enum VisitTarget {
    static func read(_ input: [UInt8]) -> FuzzVerdict {
        let input = FuzzInput(input)
        guard let method = HTTPRequest.Method(input.first), input.second.first == "/" else { return .elsewhere }
        var headers = HTTPFields()
        let cookies = String(decoding: input.body, as: UTF8.self)
        if HTTPField.isValidValue(cookies) { headers[.cookie] = cookies }
        headers[.acceptLanguage] = input.mediaType
        let head = HTTPRequest(
            method: method,
            scheme: nil,
            authority: "localhost",
            path: input.second,
            headerFields: headers
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        for name in ["session", "permissions", "lang"] {
            guard let value = request.cookie(name) else { continue }
            if value.utf8.contains(UInt8(ascii: ";")) { return .fault("\(name) is \(value)") }
        }
        _ = Language(preferring: FieldList.preferences(request.headers[values: .acceptLanguage]))
        do {
            let position = try FeedPosition(request)
            // A link to the same position leads there.
            let query = position.parameters.map { name, value in
                "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
            let back = Request(
                head: HTTPRequest(
                    method: .get,
                    scheme: nil,
                    authority: "localhost",
                    path: "/?" + query.joined(separator: "&")
                ),
                body: RequestBody(buffer: ByteBuffer())
            )
            let parameters = try FeedPosition(back).parameters
            return parameters == position.parameters ? .fine : .fault("\(position.parameters) became \(parameters)")
        } catch let error as HTTPError {
            return error.status == .badRequest ? .fine : .fault("It was refused with \(error.status)")
        } catch {
            return .fault("It was \(error)")
        }
    }
}
