import Duet
import DuetDependencies
import DuetHTTP
import DuetHummingbird
import DuetTesting
import FeedFeature
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization

/// The pages with a dispatcher whose results a test presets.
struct Site {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// The id that each form gets.
    static let newID = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))

    let spy = SpyDispatcher()
    /// The senders for whom requests resolved a dispatcher, in order.
    let senders = Senders()
    let outbox = OutboxSpy(now: Site.now)
    /// Built once, because the site remembers the delivered images; an error is thrown on first use.
    private let container: Result<Container, any Error>

    /// - Parameters:
    ///   - removals: The lists of removed images that the backend reports, one after the other.
    ///   - reported: The comments on an image that the backend reports, one list after the other.
    ///   - isServable: Whether the reported comments are for readers although they are stale; nil if they are fresh.
    init(
        imageLimit: Int = 20_000,
        comments: ClientQuota = ClientQuota(1_000, per: .seconds(60)),
        removals: [[UUID]] = [],
        reported: [[ImageComment]] = [],
        asStale isServable: Bool? = nil,
        _ prepare: (inout Answers) -> Void = { _ in }
    ) {
        var answers = Answers()
        prepare(&answers)
        answers.stub(spy)
        container = Result { [spy, senders, outbox] in
            let builder = ContainerBuilder()
            builder.install(WebModule(pageSize: 10, imageLimit: imageLimit, comments: comments))
            builder.transient((any Dispatcher).self) { (sender: SenderToken) in
                senders.tokens.withLock { $0.append(sender.text) }
                guard !removals.isEmpty || !reported.isEmpty else { return spy }
                return ReportingDispatcher(
                    spy: spy,
                    removals: removals,
                    comments: reported,
                    isServable: isServable
                )
            }
            builder.singleton((any CommentOutbox).self) { outbox }
            builder.singleton { SenderToken() }
            builder.singleton { NewID { Self.newID } }
            builder.singleton { CurrentDate { Self.now } }
            builder.singleton { Calendar(identifier: .gregorian) }
            builder.singleton { Logger.silent }
            return try builder.build()
        }
    }

    func application(host: String = "127.0.0.1", publicURL: URL? = nil) throws -> some ApplicationProtocol {
        FeedWeb(container: try container.get())
            .application(host: host, port: 0, publicURL: publicURL, logger: .silent)
    }

    /// Follows the removals that the backend reports, to the last one.
    func forgetRemovedImages() async throws {
        await FeedWeb(container: try container.get()).forgetRemovedImages()
    }

    func get(
        _ path: String,
        method: HTTPRequest.Method = .get,
        language: String? = nil,
        cookie: String? = nil,
        known entityTag: String? = nil,
        publicURL: URL? = nil
    ) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.ifNoneMatch] = entityTag
        headers[.acceptLanguage] = language
        headers[.cookie] = cookie
        return try await application(publicURL: publicURL).test(.router) { [headers] client in
            try await client.execute(uri: path, method: method, headers: headers, body: nil) { $0 }
        }
    }

    /// Submits a form as a browser does, by default from one of the site's pages.
    func post(
        _ path: String,
        _ fields: [String: String] = [:],
        cookie: String? = nil,
        sender: (field: String, value: String)? = ("Sec-Fetch-Site", "same-origin"),
        publicURL: URL? = nil
    ) async throws -> TestResponse {
        let pairs = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return try await post(
            path,
            body: ByteBuffer(string: pairs.joined(separator: "&")),
            mediaType: "application/x-www-form-urlencoded",
            cookie: cookie,
            sender: sender,
            publicURL: publicURL
        )
    }

    /// Submits a body of any type.
    func post(
        _ path: String,
        body: ByteBuffer,
        mediaType: String,
        cookie: String? = nil,
        sender: (field: String, value: String)? = ("Sec-Fetch-Site", "same-origin"),
        publicURL: URL? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: mediaType]
        headers[.cookie] = cookie
        if let sender, let name = HTTPField.Name(sender.field) { headers[name] = sender.value }
        return try await application(publicURL: publicURL).test(.router) { [headers] client in
            try await client.execute(uri: path, method: .post, headers: headers, body: body) { $0 }
        }
    }
}

/// Reports removed images and comments.
private struct ReportingDispatcher: Dispatcher {
    let spy: SpyDispatcher
    let removals: [[UUID]]
    let comments: [[ImageComment]]
    let isServable: Bool?

    func dispatch<M: Message>(_ message: M) async throws -> M.Value { try await spy.dispatch(message) }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool {
        query is LoadRemovedImages.Type || query is LoadImageComments.Type
    }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        if query is LoadRemovedImages {
            return updates(removals.isEmpty ? [[]] : removals) as? QueryStates<Q.Value>
        }
        guard let query = query as? LoadImageComments else { return nil }
        let pages = comments.map { ImageCommentPage(of: $0, answering: query) }
        return updates(pages, isServable) as? QueryStates<Q.Value>
    }

    private func updates<Value: Sendable>(_ values: [Value], _ isServable: Bool? = nil) -> QueryStates<Value> {
        QueryStates {
            var (rest, state) = (values[...], QueryState<Value>())
            return {
                guard let value = rest.popFirst() else { return nil }
                state.show(value)
                if let isServable { (state.isStale, state.isServable) = (true, isServable) }
                return state
            }
        }
    }
}

/// Records the senders of messages.
final class Senders: Sendable {
    let tokens = Mutex<[String?]>([])

    var last: String? { tokens.withLock { $0.last ?? nil } }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The ids of the cards in the order of the page.
    var cards: [String] {
        text.matches(of: /<li class="card[^"]*" id="image-[^"]+" data-id="([^"]+)"[^>]*>/).map { String($0.1) }
    }

    /// The text of the banner, or nil when it is hidden.
    var banner: String? {
        text.firstMatch(of: /<div id="banner" class="banner">\s*<p>([^<]*)<\/p>/).map { String($0.1) }
    }

    /// The image after which "load more" continues, or nil when there are no more images.
    var more: String? {
        text.firstMatch(of: /<form id="more"[^>]*>\s*<input type="hidden" name="after" value="([^"]+)">/)
            .map { String($0.1) }
    }
}

/// A few bytes that are detected as a JPEG image.
let jpeg = Data.tinyImage

/// Returns the nth image; each call returns the same one.
func image(_ number: UInt8, description: String? = nil, location: String? = nil) -> FeedImage {
    FeedImage(
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)),
        description: description,
        location: location,
        url: URL(filePath: "/images/\(number).jpg")
    )
}
