import DuetHTTP
import DuetHummingbird
import FeedFeature
import FeedPresentation
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A file for the pages, whose parts are embedded in the program.
///
/// Browsers keep it and ask with its entity tag whether it has changed, so a page view transfers it only once.
struct Asset {
    let path: String
    let mediaType: String
    let body: ByteBuffer
    let compressed: ByteBuffer
    /// Weak, because it stands for both forms.
    let entityTag: String

    static let all = ofPages + [serviceWorker]

    /// The version of the style and the script, which pages state in the addresses.
    ///
    /// A page that a browser has kept gets the script of the same version, or none.
    static let version = String(Checksum.of(ofPages.flatMap { Array($0.body.readableBytesView) }), radix: 36)

    private static let ofPages = [
        style(
            "/style.css",
            PackageResources.style_css + PackageResources.feed_css + PackageResources.search_css
                + PackageResources.image_css + Array(Shape.style.utf8)
        ),
        // The last part starts what the others declare.
        script(
            "/page.js",
            PackageResources.page_js + PackageResources.feed_js + PackageResources.images_js
                + PackageResources.pull_js + PackageResources.live_js + PackageResources.outbox_js
                + PackageResources.offline_js + PackageResources.events_js
        ),
        script("/writing.js", PackageResources.writing_js),
        Asset(path: "/icon.svg", mediaType: "image/svg+xml", PackageResources.icon_svg),
    ]

    /// The script that browsers run between the pages and this server.
    ///
    /// Its bytes change with each version of the pages, so that browsers install it again.
    private static let serviceWorker = script(
        "/sw.js",
        Array(
            String(decoding: PackageResources.outbox_js + PackageResources.sw_js, as: UTF8.self)
                .replacing("{{version}}", with: version)
                .replacing("{{languages}}", with: Language.allCases.map(\.tag).joined(separator: " "))
                .utf8
        )
    )

    /// The files of the page for developers.
    static let inspect = [
        style("/inspect.css", PackageResources.inspect_css),
        script("/inspect.js", PackageResources.inspect_js),
    ]

    private init(path: String, mediaType: String, _ bytes: [UInt8]) {
        self.path = path
        self.mediaType = mediaType
        body = ByteBuffer(bytes: bytes)
        compressed = Data(bytes).gzipped().map { ByteBuffer(bytes: $0) } ?? body
        // A checksum suffices, because nobody else can choose the bytes.
        entityTag = "W/\"\(String(Checksum.of(bytes), radix: 36))-\(bytes.count)\""
    }

    /// Responds with the file, or with 304 if the browser has it.
    ///
    /// - Throws: `HTTPError` with 404 for a script of another version: its page works without one.
    func response(to request: Request) throws -> Response {
        let query = request.query
        guard !query.contains("v") || query["v"] == Self.version || !mediaType.contains("javascript") else {
            throw HTTPError(.notFound)
        }
        var headers: HTTPFields = [
            .contentType: mediaType, .cacheControl: "no-cache", .eTag: entityTag, .vary: "Accept-Encoding",
        ]
        guard !request.knows(entityTag) else {
            return Response(status: .notModified, headers: headers)
        }
        guard request.headers.acceptsGzip else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: compressed))
    }
}

extension Request {
    /// Whether the browser has the content with an entity tag (RFC 9110, section 13.1.2).
    func knows(_ entityTag: String) -> Bool {
        headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingPrefix(while: \.isWhitespace) }
            .map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 }
            .contains { $0 == entityTag.trimmingPrefix("W/") || $0 == "*" }
    }
}

// Sources of scripts and styles are shortened for browsers, line by line. Lines remain lines, so JavaScript's rules for
// missing semicolons do not matter. No text may contain a line break, because its indentation would be lost, too.
extension Asset {
    /// Removes indentation, empty lines, and lines that are only a comment with `//`.
    private static func script(_ path: String, _ source: [UInt8]) -> Asset {
        shortened(path, "text/javascript; charset=utf-8", source) { $0.hasPrefix("//") }
    }

    /// Removes indentation, empty lines, and lines that are only a comment.
    private static func style(_ path: String, _ source: [UInt8]) -> Asset {
        shortened(path, "text/css; charset=utf-8", source) {
            $0.hasPrefix("/*") && $0.firstRange(of: "*/")?.upperBound == $0.endIndex
        }
    }

    private static func shortened(
        _ path: String,
        _ mediaType: String,
        _ source: [UInt8],
        isComment: (Substring) -> Bool
    ) -> Asset {
        let lines = String(decoding: source, as: UTF8.self)
            .split(separator: "\n")
            .map { $0.trimmingPrefix(while: \.isWhitespace) }
            .filter { !$0.isEmpty && !isComment($0) }
        return Asset(path: path, mediaType: mediaType, lines.flatMap { $0.utf8 + Array("\n".utf8) })
    }
}
