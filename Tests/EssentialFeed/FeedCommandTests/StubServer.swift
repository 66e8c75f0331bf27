import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

/// Runs `body` with the address of a server that the program uses as its backend.
func withServer(
    _ router: Router<BasicRequestContext>,
    body: @Sendable (_ remote: String) async throws -> Void
) async throws {
    let server = Application(router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await server.test(.live) { client in
        try await body("http://127.0.0.1:\(try #require(client.port))/")
    }
}

/// A router with a feed of one page, whose images have the given bytes.
func feedRouter(
    of items: [StubItem],
    image: @escaping @Sendable () async throws -> Data = { StubItem.png }
) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("/v1/feed") { request, _ in
        let host = request.head.authority ?? ""
        let page = request.uri.queryParameters["after_id"] == nil ? items : []
        let texts = page.map {
            #"{"id":"\#($0.id)","description":"\#($0.text)","image":"http://\#(host)/image/\#($0.id)"}"#
        }
        return #"{"items":[\#(texts.joined(separator: ","))]}"#
    }
    router.get("/image/:id") { _, _ in
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await image())))
    }
    return router
}

/// An image of a stub server.
struct StubItem: Sendable {
    /// The smallest possible PNG image: one transparent pixel.
    static let png =
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==
                """
        ) ?? Data()

    /// The smallest possible GIF image.
    static let gif = Data(base64Encoded: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==") ?? Data()

    let id: String
    let text: String

    /// Creates an image whose id begins with eight digits.
    init(_ beginning: String, _ text: String) {
        self.init(id: "\(beginning)-0000-4000-8000-0000000000AA", text)
    }

    /// Creates an image with a complete id.
    init(id: String, _ text: String) {
        self.id = id
        self.text = text
    }
}
