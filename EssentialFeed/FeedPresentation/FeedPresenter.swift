public import FeedFeature
public import Foundation

/// Creates view models from pages of the feed and from errors.
public struct FeedPresenter: Sendable {
    /// The language of all texts.
    public let language: Language

    private let now: Date
    private let calendar: Calendar

    /// Creates a presenter for a language, with ages relative to `now`.
    public init(language: Language, now: Date, calendar: Calendar) {
        self.language = language
        self.now = now
        self.calendar = calendar
    }

    /// Presents a page, and its failure if it has one.
    public func present(_ page: FeedPage, of query: LoadFeed = LoadFeed()) -> FeedViewModel {
        viewModel(
            images: page.images.map(present),
            error: page.failure,
            age: (.feedSaved, page.source.savedAt),
            emptyText: query.after == nil ? .feedEmpty : .feedEnd
        )
    }

    /// Presents a page of a search's results, with their number and the parts of the query that were left out.
    public func present(_ page: FeedSearchPage, of query: SearchFeed) -> FeedViewModel {
        let savedAt = page.source.savedAt
        let isWhole = savedAt != nil || page.images.count < query.limit
        return viewModel(
            title: language.searchTitle(query.searchText ?? ""),
            images: page.images.map(present),
            error: page.failure,
            age: (.searchSaved, savedAt),
            emptyText: query.page == nil ? .searchEmpty : .feedEnd,
            found: query.page == nil && !page.images.isEmpty ? found(page.images.count, isWhole: isWhole) : nil,
            notice: notice(page.unapplied),
            hasMore: savedAt == nil
        )
    }

    /// Presents one image, with its age.
    public func present(_ image: FeedImage) -> FeedImageViewModel {
        let date = image.publishedAt.map { language.relativeText(of: $0, now: now, calendar: calendar) }
        return FeedImageViewModel(image, language: language, date: date)
    }

    /// Presents an error without images; a canceled load shows no error.
    public func present(_ error: any Error) -> FeedViewModel {
        viewModel(images: [], error: error, age: (.feedSaved, nil), emptyText: .feedEmpty)
    }

    private func viewModel(
        title: String? = nil,
        images: [FeedImageViewModel],
        error: (any Error)?,
        age: (text: Text, savedAt: Date?),
        emptyText: Text,
        found: String? = nil,
        notice: String? = nil,
        hasMore: Bool = true
    ) -> FeedViewModel {
        // A saved feed without results is whole, whatever made it necessary.
        let isWhole = error == nil || age.savedAt != nil
        return FeedViewModel(
            title: title ?? language[.feedTitle],
            images: images,
            error: error is CancellationError ? nil : error.map(language.message),
            age: age.savedAt.map { self.age(age.text, savedAt: $0) },
            savedAt: age.savedAt,
            savedText: age.savedAt.map { language.relativeText(of: $0, now: now, calendar: calendar) },
            emptyMessage: images.isEmpty && isWhole ? language[emptyText] : nil,
            lastImage: hasMore ? images.last?.id : nil,
            found: found,
            notice: notice
        )
    }

    private func age(_ text: Text, savedAt: Date) -> String {
        let ago = language.relativeText(of: savedAt, now: now, calendar: calendar)
        return language.text(text, ago)
    }

    private func found(_ count: Int, isWhole: Bool) -> String {
        guard isWhole else { return language.text(.searchFoundMore, count) }
        return count == 1 ? language[.searchFoundOne] : language.text(.searchFound, count)
    }

    private func notice(_ unapplied: Set<FeedSearchPage.Condition>) -> String? {
        guard !unapplied.isEmpty else { return nil }
        let names = FeedSearchPage.Condition.allCases.filter(unapplied.contains).map { language[$0.text] }
        return language.text(.searchUnapplied, names.joined(separator: " · "))
    }
}

extension FeedPage.Source {
    fileprivate var savedAt: Date? {
        if case .cache(let savedAt) = self { savedAt } else { nil }
    }
}

extension FeedSearchPage.Condition {
    fileprivate var text: Text {
        switch self {
        case .hasComments: .searchHasComments
        case .publishedSince: .searchPublished
        case .mostCommented: .searchMostCommented
        }
    }
}

/// A page of the feed, as a screen shows it.
public struct FeedViewModel: Hashable, Sendable {
    /// The screen's title.
    public let title: String

    /// The images, in the feed's order.
    public let images: [FeedImageViewModel]

    /// The text of the error banner; nil for no banner.
    public let error: String?

    /// The age of a cached feed, such as "Saved 5 minutes ago"; nil for a feed from the server.
    public let age: String?

    /// The time when a cached feed was saved, for a screen that keeps its age up to date.
    public let savedAt: Date?

    /// The age of a cached feed alone, such as "5 minutes ago".
    public let savedText: String?

    /// The text for an empty list; nil if there are images or an error.
    public let emptyMessage: String?

    /// The image after which the next page begins; nil if there are no more pages.
    public let lastImage: UUID?

    /// The number of found images; nil for the whole feed, for a later page, and if nothing was found.
    public let found: String?

    /// The parts of a search that were left out; nil if there are none.
    public let notice: String?
}

/// One image of the feed, as a screen shows it.
public struct FeedImageViewModel: Hashable, Identifiable, Sendable {
    /// The image's id, with which a screen loads the bytes.
    public let id: UUID

    /// The content of the picture in words; nil hides the row.
    public let description: String?

    /// The publisher's words beside the picture; nil hides the row.
    public let caption: String?

    /// The visible text: the caption, or else the description; nil hides the row.
    public var title: String? { caption ?? description }

    /// The publisher's display name; nil hides it.
    public let author: String?

    /// The age, such as "5 minutes ago"; nil hides it.
    public let date: String?

    /// The location; nil hides the row.
    public let location: String?

    /// The label for screen readers; never empty.
    public let label: String

    /// The number of comments; nil if it is unknown.
    public let commentCount: Int?

    /// The image itself, with its date, its size, and the locations of its bytes.
    public let source: FeedImage

    /// Creates a view model; texts without a visible character count as absent.
    ///
    /// - Parameter date: The age of the image.
    public init(_ image: FeedImage, language: Language, date: String? = nil) {
        id = image.id
        source = image
        self.date = date
        caption = Self.visible(image.caption)
        author = Self.visible(image.author?.asName)
        commentCount = image.commentCount
        description = Self.visible(image.description)
        location = Self.visible(image.location)
        label = description ?? caption ?? location ?? language[.imageUnlabeled]
    }

    private static func visible(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text?.isVisible == true ? text : nil
    }
}
