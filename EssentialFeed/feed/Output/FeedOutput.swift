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

    /// Prints loaded pages as a table, and their source and their failure to standard error.
    func print(_ loaded: FeedPager.Loaded) {
        let (page, screen) = (loaded.page, screen(of: loaded))
        Terminal.heading(screen.title.safe())
        if screen.images.isEmpty {
            if let message = screen.emptyMessage { Terminal.print(message) }
        } else {
            table(of: page.images)
        }
        if let error = screen.error { Terminal.note(error, .red) }
        if let failure = page.failure { Terminal.note("(\(failure.reason))") }
        for note in [screen.found, screen.notice].compactMap(\.self) { Terminal.note(note) }
        switch page.source {
        case .remote: Terminal.note(language[.terminalFromServer])
        case .cache: Terminal.note("\(language[.terminalFromCache]) \(screen.age ?? "")", .yellow)
        default: break
        }
        if loaded.hasMore { Terminal.note(language.text(.terminalMayHaveMore, "\(loaded.pages + 1)")) }
    }

    private func screen(of loaded: FeedPager.Loaded) -> FeedViewModel {
        let (page, count) = (loaded.page, loaded.page.images.count)
        // All pages are presented as one, which is full if there may be more.
        guard let search = loaded.search?.query(limit: loaded.hasMore ? count : count + 1) else {
            return feed.present(page)
        }
        let results = FeedSearchPage(
            images: page.images,
            source: page.source,
            failure: page.failure,
            unapplied: loaded.unapplied
        )
        return feed.present(results, of: search)
    }

    /// Prints comments with their authors, ages and ids, and their number, and how to print earlier ones.
    func print(_ page: ImageCommentPage, isNewest: Bool) {
        let screen = comments.present(page.comments)
        Terminal.heading(page.comments.isEmpty ? screen.title : "\(screen.title) · \(page.comments.count)")
        printItems(page.comments)
        if isNewest, let message = screen.emptyMessage { Terminal.print(message) }
        if page.hasEarlier, let first = page.comments.first {
            Terminal.note(language.text(.terminalEarlierComments, "\(first.id)"))
        }
    }

    func printItems(_ comments: [ImageComment]) {
        let length = Self.length(of: comments.map(\.id))
        for comment in self.comments.present(comments).comments {
            let id = "\(comment.id)".prefix(length)
            Terminal.print("\n\(comment.username.safe()), \(comment.date) (\(id))\n  \(comment.message.safe())")
        }
    }

    func print(_ summary: FeedCacheSummary?, location: URL) {
        guard let summary else { return Terminal.print("The cache is empty: \(location.path)") }
        table(of: summary.images)
        let age = language.relativeText(of: summary.savedAt, now: now, calendar: .current)
        let state = summary.isFresh ? "fresh" : Terminal.styled("expired", .yellow)
        Terminal.print("\n\(summary.images.count) images, saved \(age), \(state)")
        Terminal.print("in \(location.path)")
    }

    func print(_ image: FeedImage) {
        Terminal.heading(title(of: image).safe())
        let comments = image.commentCount.map { "\(language[.commentsTitle]): \($0)" }
        let motion = image.isAnimated ? language[.imageAnimated] : nil
        let origin = [image.author, age(of: image), comments, motion].compactMap(\.self).joined(separator: " · ")
        for line in [image.caption, image.location, origin] {
            if let line, !line.isEmpty { Terminal.print(line.safe()) }
        }
        Terminal.print("\(image.id)\n")
    }

    private func table(of images: [FeedImage]) {
        let length = Self.length(of: images.map(\.id))
        func column(_ header: Text, cell: @escaping (FeedImage) -> String?) -> Column<FeedImage> {
            Column(language[header].uppercased(with: language.locale)) { cell($0) ?? "" }
        }
        let columns = [
            column(.terminalImage, cell: title), column(.terminalCaption, cell: \.caption),
            column(.terminalAuthor, cell: \.author), column(.publishLocation, cell: \.location),
            column(.searchPublished, cell: age),
            column(.commentsTitle) { $0.commentCount.map { "\($0)" } },
            Column("ID") { "\($0.id)".prefix(length).description },
        ]
        Table(images, columns: columns).withoutEmptyColumns.print()
    }

    private func title(of image: FeedImage) -> String { FeedImageViewModel(image, language: language).label }

    private func age(of image: FeedImage) -> String? {
        image.publishedAt.map { language.relativeText(of: $0, now: now, calendar: .current) }
    }

    /// Returns the number of characters that are printed of ids: in a terminal as few as distinguish them, but at least
    /// eight, the first group; else all.
    private static func length(of ids: [UUID]) -> Int {
        guard Terminal.isInteractive else { return 36 }
        return (8...36).first { length in Set(ids.map { "\($0)".prefix(length) }).count == Set(ids).count } ?? 36
    }
}
