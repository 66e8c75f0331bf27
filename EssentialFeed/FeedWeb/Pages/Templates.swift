import FeedPresentation
import HTTPTypes
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
            "fields": PackageResources.fields_mustache,
            "search": PackageResources.search_mustache,
            "image": PackageResources.image_mustache,
            "comments": PackageResources.comments_mustache,
            "remove": PackageResources.remove_mustache,
            "removed": PackageResources.removed_mustache,
            "edit": PackageResources.edit_mustache,
            "image-fields": PackageResources.image_fields_mustache,
            "chips": PackageResources.chips_mustache,
            "publish": PackageResources.publish_mustache,
            "sign-in": PackageResources.sign_in_mustache,
            "error": PackageResources.error_mustache,
            "inspect": PackageResources.inspect_mustache,
            "inspect-bar": PackageResources.inspect_bar_mustache,
            "inspect-name": PackageResources.inspect_name_mustache,
            "inspect-link": PackageResources.inspect_link_mustache,
        ].mapValues { try MustacheTemplate(string: String(decoding: $0, as: UTF8.self)) }
    )

    /// Returns a text for `{{{…}}}` that is escaped already; nil if there are no templates.
    static func escaped(_ text: String) -> String? {
        (try? MustacheTemplate(string: "{{.}}"))?.render(text)
    }

    static func render(_ template: String, _ object: Any) throws -> String {
        guard let text = library?.render(TemplateValues.values(of: object) ?? object, withTemplate: template) else {
            throw HTTPError(.internalServerError)
        }
        return text
    }
}

extension Response {
    /// Whether a browser may keep a response.
    enum Caching: String {
        /// Nowhere, because its content is not for the disk.
        case never = "no-store"

        /// Only for the way back to it, where it must be as the reader left it.
        case validated = "private, no-cache"
    }

    static func html<Content>(
        _ template: String,
        _ page: Page<Content>,
        status: HTTPResponse.Status = .ok,
        caching: Caching = .never
    ) throws -> Response {
        try html(template, page, language: page.language, status: status, caching: caching)
    }

    static func page<Content>(
        _ template: String,
        _ heading: Text,
        _ content: Content,
        error: String? = nil,
        _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let page = Page(heading: visit.language[heading], error: error, content: content, visit: visit)
        return try html(template, page, status: status)
    }

    static func html(
        _ html: String,
        in language: Language,
        status: HTTPResponse.Status = .ok,
        caching: Caching = .never
    ) -> Response {
        Response(html, mediaType: "text/html", language: language.tag, status: status, caching: caching)
    }

    /// Creates a page from a template and any values.
    static func html(
        _ template: String,
        _ values: Any,
        language: String,
        status: HTTPResponse.Status = .ok,
        caching: Caching = .never
    ) throws -> Response {
        Response(
            try Templates.render(template, values),
            mediaType: "text/html",
            language: language,
            status: status,
            caching: caching
        )
    }

    static func text(_ text: String, in language: Language, status: HTTPResponse.Status) -> Response {
        Response(text, mediaType: "text/plain", language: language.tag, status: status, caching: .never)
    }

    /// Creates the response to a command that succeeded: the page that shows its effect.
    ///
    /// Loading the page again does not repeat the command.
    static func seeOther(_ path: String, cookies: [String] = []) -> Response {
        var headers: HTTPFields = [.location: path, .cacheControl: Caching.never.rawValue]
        headers[values: .setCookie] = cookies
        return Response(status: .seeOther, headers: headers)
    }

    /// Creates the page in place of one that the browser has not kept.
    static func offlinePage(_ visit: Visit) throws -> Response {
        let language = visit.language
        let page = Page(error: language[.connectionError], content: language[.offlinePage], visit: visit)
        return try .html("error", page)
    }

    private init(_ text: String, mediaType: String, language: String, status: HTTPResponse.Status, caching: Caching) {
        self.init(
            status: status,
            headers: [
                .contentType: "\(mediaType); charset=utf-8",
                .contentLanguage: language,
                .cacheControl: caching.rawValue,
                .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
