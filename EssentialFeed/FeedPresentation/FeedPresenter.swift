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
    public func present(_ page: FeedPage) -> FeedViewModel {
        viewModel(images: page.images, error: page.failure, savedAt: page.savedAt)
    }

    /// Presents an error without images; a canceled load shows no error.
    public func present(_ error: any Error) -> FeedViewModel {
        viewModel(images: [], error: error, savedAt: nil)
    }

    private func viewModel(images: [FeedImage], error: (any Error)?, savedAt: Date?) -> FeedViewModel {
        FeedViewModel(
            title: language[.feedTitle],
            images: images.map { FeedImageViewModel($0, language: language) },
            error: error is CancellationError ? nil : error.map(language.message),
            age: savedAt.map(age),
            savedAt: savedAt,
            emptyMessage: images.isEmpty && error == nil ? language[.feedEmpty] : nil,
            lastImage: images.last?.id
        )
    }

    private func age(savedAt: Date) -> String {
        let ago = language.relativeText(of: savedAt, now: now, calendar: calendar)
        return language[.feedSaved].replacingOccurrences(of: "%@", with: ago)
    }
}

extension FeedPage {
    fileprivate var savedAt: Date? {
        if case .cache(let savedAt) = source { savedAt } else { nil }
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

    /// The text for an empty list; nil if there are images or an error.
    public let emptyMessage: String?

    /// The image after which the next page begins; nil if there are no more pages.
    public let lastImage: UUID?
}

/// One image of the feed, as a screen shows it.
public struct FeedImageViewModel: Hashable, Identifiable, Sendable {
    /// The image's id, with which a screen loads the bytes.
    public let id: UUID

    /// The description; nil hides the row.
    public let description: String?

    /// The location; nil hides the row.
    public let location: String?

    /// The label for screen readers; never empty.
    public let label: String

    /// Creates a view model; texts without a visible character count as absent.
    public init(_ image: FeedImage, language: Language) {
        id = image.id
        description = Self.visible(image.description)
        location = Self.visible(image.location)
        label = description ?? location ?? language[.imageUnlabeled]
    }

    private static func visible(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text?.isEmpty == false ? text : nil
    }
}
