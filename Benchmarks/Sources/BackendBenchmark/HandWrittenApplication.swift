import Foundation
import GRDB
import Hummingbird
import NIOCore
import Synchronization

/// The feed served with Hummingbird and GRDB alone: one route, and no layers.
///
/// The statements, the server's settings and the body are those of `FeedBackend`.
///
/// - Parameter keepsPages: Whether the bytes of each page are kept in a dictionary, also after writes.
func handWrittenApplication(
    database: DatabasePool,
    keepsPages: Bool = false,
    onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void
) -> some ApplicationProtocol {
    let router = Router(options: .autoGenerateHeadEndpoints)
    let pages = Mutex<[String: ByteBuffer]>([:])
    router.get("/v1/feed") { request, _ in
        if keepsPages, let page = pages.withLock({ $0[request.uri.string] }) { return response(page) }
        let limit = request.uri.queryParameters["limit"].flatMap { Int($0) } ?? 10
        guard (1...100).contains(limit) else { throw HTTPError(.badRequest) }
        var after: UUID?
        if let text = request.uri.queryParameters["after_id"] {
            after = UUID(uuidString: String(text))
            guard after != nil else { throw HTTPError(.badRequest) }
        }
        let prefix = "http://\(request.head.authority ?? "")/v1/image/"
        let items = try await database.read { [after] db in
            var end = Int64.max
            if let after {
                let statement = try db.cachedStatement(sql: "SELECT position FROM image WHERE id = ?")
                guard let position = try Int64.fetchOne(statement, arguments: [after]) else {
                    throw HTTPError(.notFound)
                }
                end = position
            }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT id, description, caption, location, author, published_at, comment_count, width, height, color,
                        is_animated, hash,
                        (SELECT group_concat(version) FROM (SELECT width || ' ' || hash AS version
                            FROM image_version WHERE image = position ORDER BY width))
                    FROM image WHERE position < ? ORDER BY position DESC LIMIT ?
                    """
            )
            return try Array(
                Row.fetchCursor(statement, arguments: [end, limit]).map { HandWrittenItem($0, prefix: prefix) }
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let page = ByteBuffer(bytes: try encoder.encode(HandWrittenPage(items: items)))
        if keepsPages { pages.withLock { $0[request.uri.string] = page } }
        return response(page)
    }
    return Application(
        router: router,
        server: .http1(configuration: .init(idleTimeout: .seconds(75))),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: onServerRunning
    )
}

private func response(_ page: ByteBuffer) -> Response {
    Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: page))
}
