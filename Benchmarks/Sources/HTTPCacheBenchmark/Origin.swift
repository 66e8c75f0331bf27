import Hummingbird
import NIOCore

/// An origin whose responses may be stored.
enum Origin {
    static let size = 10_000

    static func application(
        _ onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router()
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
        router.get("**") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: "max-age=3600", .eTag: #""1""#],
                body: ResponseBody(byteBuffer: body)
            )
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: onServerRunning
        )
    }
}
