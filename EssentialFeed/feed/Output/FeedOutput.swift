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

    /// Prints a page as a table, and its source and its failure to standard error.
    func print(_ page: FeedPage) {
        let screen = feed.present(page)
        Terminal.heading(screen.title)
        if screen.images.isEmpty {
            if let message = screen.emptyMessage { Swift.print(message) }
        } else {
            table(of: screen.images)
        }
        if let error = screen.error { Terminal.note(error) }
        if let failure = page.failure { Terminal.note("(\(Terminal.safe(failure.reason)))") }
        switch page.source {
        case .remote: Terminal.note("From the server.")
        case .cache: Terminal.note("From the cache. \(screen.age ?? "")")
        default: break
        }
    }

    /// Prints comments with their authors and ages.
    func print(_ comments: [ImageComment]) {
        let screen = self.comments.present(comments)
        Terminal.heading(screen.title)
        for comment in screen.comments {
            Swift.print("\n\(Terminal.safe(comment.username)), \(comment.date)\n  \(Terminal.safe(comment.message))")
        }
        if let message = screen.emptyMessage { Swift.print(message) }
    }

    /// Prints the contents of the cache.
    func print(_ summary: FeedCacheSummary?, location: URL) {
        guard let summary else { return Swift.print("The cache is empty: \(location.path)") }
        table(of: feed.present(FeedPage(images: summary.images, source: .cache(savedAt: summary.savedAt))).images)
        let age = language.relativeText(of: summary.savedAt, now: now, calendar: .current)
        Swift.print("\n\(summary.images.count) images, saved \(age), \(summary.isFresh ? "fresh" : "expired")")
        Swift.print("in \(location.path)")
    }

    private func table(of images: [FeedImageViewModel]) {
        var table = Table("IMAGE", "LOCATION", "ID")
        for image in images {
            table.add(image.description ?? image.label, image.location ?? "", image.id.uuidString)
        }
        table.print()
    }
}
