import Duet
import DuetDependencies
import DuetTesting
import FeedFeature
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore

/// The pages over a dispatcher that answers as a test says.
struct Site {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    let spy = SpyDispatcher()
    /// Built once, because the site remembers what it has delivered; why it could not be is told where it is used.
    private let container: Result<Container, any Error>

    init(imageLimit: Int = 20_000, _ prepare: (inout Answers) -> Void = { _ in }) {
        var answers = Answers()
        prepare(&answers)
        answers.stub(spy)
        container = Result { [spy] in
            let builder = ContainerBuilder()
            builder.install(WebModule(imageLimit: imageLimit))
            builder.singleton((any QueryDispatcher).self) { spy }
            builder.singleton { CurrentDate { Self.now } }
            builder.singleton { Calendar(identifier: .gregorian) }
            builder.singleton { Logger.silent }
            return try builder.build()
        }
    }

    func application(host: String = "127.0.0.1") throws -> some ApplicationProtocol {
        FeedWeb(container: try container.get()).application(host: host, port: 0, logger: .silent)
    }

    func get(_ path: String, method: HTTPRequest.Method = .get, language: String? = nil) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.acceptLanguage] = language
        return try await application().test(.router) { [headers] client in
            try await client.execute(uri: path, method: method, headers: headers, body: nil) { $0 }
        }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The ids of the cards in the order of the page.
    var cards: [String] {
        text.matches(of: /<li class="card" data-id="([^"]+)">/).map { String($0.1) }
    }

    /// What the banner says, or nil when it is hidden.
    var banner: String? {
        text.firstMatch(of: /<div id="banner" class="banner">\s*<p>([^<]*)<\/p>/).map { String($0.1) }
    }

    /// The image after which "load more" goes on, or nil when there is no more.
    var more: String? {
        text.firstMatch(of: /<form id="more"[^>]*>\s*<input type="hidden" name="after" value="([^"]+)">/)
            .map { String($0.1) }
    }
}

/// The smallest bytes that pass for a JPEG image.
let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0x00])

/// The image number `number`, always the same.
func image(_ number: UInt8, description: String? = nil, location: String? = nil) -> FeedImage {
    FeedImage(
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)),
        description: description,
        location: location,
        url: URL(filePath: "/images/\(number).jpg")
    )
}
