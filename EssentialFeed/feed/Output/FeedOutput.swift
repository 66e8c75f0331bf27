import Duet
import FeedFeature
import FeedPresentation
import Foundation

/// Prints the screens of the application as text.
struct FeedOutput {
    private let feed: FeedPresenter
    private let comments: ImageCommentsPresenter
    private let language: Language
    private let now: Date

    init(language: Language, now: Date) {
        self.language = language
        self.now = now
        feed = FeedPresenter(language: language, now: now, calendar: .current)
        comments = ImageCommentsPresenter(language: language, now: now, calendar: .current)
    }

    /// Prints a page as a table, or with pictures, and its source and its failure to standard error.
    func print(_ page: FeedPage, pictures: Pictures = .none) {
        let screen = feed.present(page)
        Terminal.heading(screen.title)
        if screen.images.isEmpty {
            if let message = screen.emptyMessage { Swift.print(message) }
        } else if pictures.isEmpty {
            table(of: screen.images)
        } else {
            for image in screen.images { print(image, picture: pictures.sequence(for: image.id)) }
        }
        if let error = screen.error { Terminal.note(error, .red) }
        if let failure = page.failure { Terminal.note("(\(failure.reason))") }
        switch page.source {
        case .remote: Terminal.note("From the server.")
        case .cache: Terminal.note("From the cache. \(screen.age ?? "")", .yellow)
        default: break
        }
    }

    /// Prints comments with their authors and ages.
    func print(_ comments: [ImageComment]) {
        let screen = self.comments.present(comments)
        Terminal.heading(screen.title)
        printItems(comments)
        if let message = screen.emptyMessage { Swift.print(message) }
    }

    /// Prints comments without a title.
    func printItems(_ comments: [ImageComment]) {
        for comment in self.comments.present(comments).comments {
            Swift.print("\n\(comment.username.safe()), \(comment.date)\n  \(comment.message.safe())")
        }
    }

    /// Prints the contents of the cache.
    func print(_ summary: FeedCacheSummary?, location: URL) {
        guard let summary else { return Swift.print("The cache is empty: \(location.path)") }
        table(of: feed.present(FeedPage(images: summary.images, source: .cache(savedAt: summary.savedAt))).images)
        let age = language.relativeText(of: summary.savedAt, now: now, calendar: .current)
        let state = summary.isFresh ? "fresh" : Terminal.styled("expired", .yellow)
        Swift.print("\n\(summary.images.count) images, saved \(age), \(state)")
        Swift.print("in \(location.path)")
    }

    /// Prints an image below its picture, if the terminal can show it.
    func print(_ image: FeedImage, picture: String?) {
        print(FeedImageViewModel(image, language: language), picture: picture)
    }

    private func print(_ image: FeedImageViewModel, picture: String?) {
        if let picture { Swift.print(picture) }
        Terminal.heading((image.description ?? image.label).safe())
        if let location = image.location { Swift.print(location.safe()) }
        Swift.print("\(image.id)\n")
    }

    private func table(of images: [FeedImageViewModel]) {
        let length = Terminal.isInteractive ? Self.uniqueLength(of: images.map(\.id)) : 36
        let rows = images.map {
            [$0.description ?? $0.label, $0.location ?? "", String("\($0.id)".prefix(length))]
        }
        Table(["IMAGE", "LOCATION", "ID"], rows: rows).print()
    }

    /// Returns the number of characters that distinguish the ids; at least eight, the first group.
    static func uniqueLength(of ids: [UUID]) -> Int {
        (8...36).first { length in Set(ids.map { "\($0)".prefix(length) }).count == Set(ids).count } ?? 36
    }
}
