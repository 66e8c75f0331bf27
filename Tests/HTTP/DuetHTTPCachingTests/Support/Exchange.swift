import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

/// A request and its response at a fixed time, written as field lines.
///
/// `@-10` in a line is the date ten seconds before the exchange.
struct Exchange {
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    var request: HTTPRequest
    var response: HTTPResponse

    init(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        _ requestLines: [String] = [],
        status: Int = 200,
        _ responseLines: [String] = []
    ) {
        request = HTTPRequest(method: method, scheme: "https", authority: "example.com", path: path)
        request.headerFields = Self.fields(requestLines)
        response = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: Self.fields(responseLines))
    }

    /// A GET without fields, and its response.
    init(status: Int = 200, _ responseLines: [String]) {
        self.init(.get, "/", [], status: status, responseLines)
    }

    static func request(_ lines: String..., method: HTTPRequest.Method = .get, path: String = "/") -> HTTPRequest {
        Exchange(method, path, lines).request
    }

    static func response(_ lines: String..., status: Int = 200) -> HTTPResponse {
        Exchange(status: status, lines).response
    }

    static func date(_ offset: Double) -> Date { start.addingTimeInterval(offset) }

    static func times(_ offset: Double = 0) -> ExchangeTimes {
        ExchangeTimes(requested: date(offset), received: date(offset))
    }

    static func fields(_ lines: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
                continue
            }
            var value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if value.hasPrefix("@"), let offset = Double(value.dropFirst()) { value = HTTPDate.text(date(offset)) }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    func decision(_ policy: HTTPCachePolicy = HTTPCachePolicy(), at offset: Double = 0) -> StoringDecision {
        policy.storing(response, to: request, at: Self.times(offset))
    }

    /// The stored response, with a body of ten bytes.
    func stored(_ policy: HTTPCachePolicy = HTTPCachePolicy(), at offset: Double = 0) throws -> StoredResponse {
        try #require(decision(policy, at: offset).stored).with(Data("0123456789".utf8))
    }
}
