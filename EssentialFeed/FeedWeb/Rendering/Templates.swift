import Hummingbird
import Mustache

/// The templates, built into the program.
///
/// What is filled in is escaped for HTML.
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
