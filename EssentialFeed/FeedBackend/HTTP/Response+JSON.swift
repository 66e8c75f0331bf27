import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// A response whose body is a value as JSON.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        mediaType: String = "application/json"
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Response(
            status: status,
            headers: [.contentType: mediaType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value)))
        )
    }
}
