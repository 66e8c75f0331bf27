import AsyncHTTPClient
import HTTPTypes
import NIOHTTP1

extension HTTPResponse {
    /// The head of an answer; a field whose name is not one by RFC 9110, section 5.1, is left out.
    ///
    /// - Throws: ``InvalidStatus``.
    init(_ answer: HTTPClientResponse) throws(InvalidStatus) {
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            status: try Status(received: answer.status.code, reasonPhrase: answer.status.reasonPhrase),
            headerFields: fields
        )
    }
}
