import AsyncHTTPClient
import FeedPresentation
import Foundation
import Hummingbird
import Mustache
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The first page of the feed with Hummingbird, AsyncHTTPClient and Mustache alone: one route, and no layers.
///
/// It loads the same rows from the same backend, and renders the same templates in English. It keeps nothing for the
/// time without the backend.
func handWrittenApplication(
    backend: URL,
    templates: URL,
    onServerRunning: @escaping @Sendable @concurrent (any Channel) async -> Void
) throws -> some ApplicationProtocol {
    let files = try FileManager.default.contentsOfDirectory(at: templates, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "mustache" }
    let library = try MustacheLibrary(
        templates: Dictionary(
            uniqueKeysWithValues: files.map { file in
                let text = try String(contentsOf: file, encoding: .utf8)
                return (file.deletingPathExtension().lastPathComponent, try MustacheTemplate(string: text))
            }
        )
    )
    let client = HTTPClient(eventLoopGroupProvider: .singleton)
    let address = backend.appending(path: "v1/feed").absoluteString + "?limit=30"
    let constants = HandWrittenPage.constants
    let router = Router()
    router.get("/") { _, _ in
        let response = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(30))
        guard response.status == .ok else { throw HTTPError(.badGateway) }
        let body = try await response.body.collect(upTo: 1_048_576)
        let feed = try JSONDecoder().decode(HandWrittenPage.Feed.self, from: body)
        var page = constants
        var content = HandWrittenPage.content(of: feed)
        content["cards"] = library.render(
            ["cards": content["cards"] as Any, "text": page["text"] as Any],
            withTemplate: "cards"
        )
        page["content"] = content
        page["now"] = Date().ISO8601Format()
        guard let html = library.render(page, withTemplate: "feed") else { throw HTTPError(.internalServerError) }
        return Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }
    return Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: onServerRunning
    )
}

/// The values of the templates.
enum HandWrittenPage {
    /// The body of the backend's response.
    struct Feed: Decodable {
        struct Item: Decodable {
            let id: UUID
            let description: String?
            let caption: String?
            let location: String?
            let image: URL
        }

        let items: [Item]
    }

    /// The values that are the same for each request.
    static var constants: [String: any Sendable] {
        let language = Language.english
        return [
            "title": language[.feedTitle],
            "heading": language[.feedTitle],
            "summary": language[.feedSummary],
            "language": language.tag,
            "languages": Language.allCases.map { other in
                [
                    "tag": other.tag, "name": other.name, "address": "/?lang=\(other.tag)",
                    "isCurrent": other == language,
                ] as [String: any Sendable]
            },
            "isSignedIn": false,
            "hasSession": true,
            "query": "",
            "signIn": "/sign-in?return=%2F",
            "text": Dictionary(uniqueKeysWithValues: Text.allCases.map { ("\($0)", language[$0]) }),
            "messages": messages(in: language),
        ]
    }

    private static func messages(in language: Language) -> String {
        let texts: [Text] = [
            .connectionError, .unexpectedError, .feedLoadedOne, .feedLoadedMore, .feedEnd, .feedRefreshed,
            .feedNewOne, .feedNew, .commentsNew, .commentsPosted, .commentsWaiting, .commentsSending, .commentsFailed,
            .publishBusy, .publishUnreadable, .publishHEIC, .publishTooLarge, .publishPosition, .publishCanceled,
            .removePending, .pageSlow, .commentsUnsaved,
        ]
        let pairs = texts.map { ("\($0)", language[$0]) }.sorted { $0.0 < $1.0 }
        let json = "{" + pairs.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
        return (try? MustacheTemplate(string: "{{.}}"))?.render(json) ?? ""
    }

    /// The form without a search.
    private static let form: [String: any Sendable] = {
        func choices(_ choices: [(value: String, text: Text)]) -> [[String: any Sendable]] {
            choices.map { value, text in
                ["value": value, "label": Language.english[text], "isSelected": value.isEmpty]
            }
        }
        return [
            "words": "",
            "wordsLimit": 100,
            "periods": choices([
                ("", .searchAnyTime), ("day", .searchDay), ("week", .searchWeek), ("month", .searchMonth),
            ]),
            "orders": choices([
                ("", .searchNewest), ("oldest", .searchOldest), ("most_commented", .searchMostCommented),
            ]),
        ]
    }()

    private static let unnamed = Language.english[.imageUnlabeled]

    /// The 64-bit FNV-1a hash of an address.
    private static func version(of address: URL) -> String {
        let hash = address.absoluteString.utf8
            .reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 36)
    }

    static func content(of feed: Feed) -> [String: any Sendable] {
        var content: [String: any Sendable] = ["isFirst": true, "ageText": "", "form": form]
        content["cards"] = feed.items.enumerated().map { index, item in
            var card: [String: any Sendable] = [
                "id": item.id,
                "label": item.description ?? item.caption ?? item.location ?? unnamed,
                "address": "/images/\(item.id)",
                "picture": ["address": "/images/\(item.id)/data?v=\(version(of: item.image))"],
                "isEager": index < 3,
                "isFirst": index == 0,
            ]
            card["title"] = item.caption ?? item.description
            card["location"] = item.location
            return card
        }
        content["lastImage"] = feed.items.last?.id
        return content
    }
}
