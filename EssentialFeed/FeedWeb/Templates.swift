import Hummingbird
import Mustache

/// The templates, which are embedded in the program.
///
/// All values are escaped for HTML.
enum Templates {
    private static let library: MustacheLibrary? = try? MustacheLibrary(
        templates: [
            "layout": PackageResources.layout_mustache,
            "feed": PackageResources.feed_mustache,
            "cards": PackageResources.cards_mustache,
            "comments": PackageResources.comments_mustache,
            "error": PackageResources.error_mustache,
        ].mapValues { try MustacheTemplate(string: String(decoding: $0, as: UTF8.self)) }
    )

    static func render(_ template: String, _ object: Any) throws -> String {
        guard let text = library?.render(object, withTemplate: template) else {
            throw HTTPError(.internalServerError)
        }
        return text
    }
}

extension Response {
    /// Creates a page from a template.
    ///
    /// Responses are not cached, because their content may change at any time.
    static func html<Content>(
        _ template: String,
        _ page: Page<Content>,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        Response(try Templates.render(template, page), mediaType: "text/html", status: status)
    }

    /// Creates a response with plain text.
    static func text(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(text, mediaType: "text/plain", status: status)
    }

    private init(_ text: String, mediaType: String, status: HTTPResponse.Status) {
        self.init(
            status: status,
            headers: [
                .contentType: "\(mediaType); charset=utf-8",
                .cacheControl: "no-store",
                .vary: "Accept-Language",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
