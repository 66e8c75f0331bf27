import Foundation
import TestSupport

/// A picture of a page for the documentation, a file in `Documentation/Images`.
struct PagePicture: Sendable, CustomStringConvertible {
    /// The content of the page.
    enum Content: Sendable {
        /// The feed, with all images in view.
        case feed

        /// The feed while its images load.
        case loading

        /// The results of a search.
        case search

        /// An image with its comments.
        case image

        /// A comment that waits for the page server.
        case waiting

        /// The form for publishing an image.
        case publishing

        /// The saved feed, without the backend.
        case offline

        /// The feed without images.
        case empty

        /// The feed without the backend and a cache.
        case error
    }

    /// The size of the window, in pixels.
    enum Device: Sendable {
        case desktop
        case phone

        var size: (width: Int64, height: Int64) {
            switch self {
            case .desktop: (1200, 900)
            case .phone: (390, 844)
            }
        }
    }

    /// The name of the file, without its extension.
    let name: String
    let content: Content
    let device: Device
    let language: String
    let isDark: Bool

    init(_ name: String, _ content: Content, _ device: Device, _ language: String = "en", dark: Bool = false) {
        self.name = name
        self.content = content
        self.device = device
        self.language = language
        isDark = dark
    }

    var description: String { name }

    /// The picture of the repository.
    var file: URL {
        projectFile("Documentation/Images/\(name).jpg")
    }
}

extension PagePicture {
    /// All pictures: each content, size, language and color scheme at least twice.
    static let all = [
        PagePicture("page", .feed, .desktop),
        PagePicture("page-dark", .feed, .desktop, dark: true),
        PagePicture("page-offline", .offline, .desktop),
        PagePicture("page-greek", .feed, .desktop, "el"),
        PagePicture("page-search", .search, .desktop),
        PagePicture("page-loading", .loading, .desktop, dark: true),
        PagePicture("page-image", .image, .desktop),
        PagePicture("page-publishing", .publishing, .desktop, "pt-BR", dark: true),
        PagePicture("page-error", .error, .desktop, "el"),
        PagePicture("phone", .feed, .phone),
        PagePicture("phone-dark", .feed, .phone, "pt-BR", dark: true),
        PagePicture("phone-offline", .offline, .phone, "el", dark: true),
        PagePicture("phone-search", .search, .phone, "el"),
        PagePicture("phone-loading", .loading, .phone, "pt-BR"),
        PagePicture("phone-image", .image, .phone, "el", dark: true),
        PagePicture("phone-waiting", .waiting, .phone),
        PagePicture("phone-publishing", .publishing, .phone),
        PagePicture("phone-empty", .empty, .phone, "pt-BR"),
        PagePicture("phone-empty-dark", .empty, .phone, dark: true),
        PagePicture("phone-error", .error, .phone, dark: true),
    ]
}
