public import FeedFeature
public import Foundation

/// Turns pages of the feed, and what went wrong with them, into what a screen shows.
public struct FeedPresenter: Sendable {
    /// The language of all texts.
    public let language: Language

    private let now: Date
    private let calendar: Calendar

    /// Presents in a language, with ages as of `now`.
    public init(language: Language, now: Date, calendar: Calendar) {
        self.language = language
        self.now = now
        self.calendar = calendar
    }

    /// Presents a page, together with the failure it may carry.
    public func present(_ page: FeedPage) -> FeedViewModel {
        viewModel(images: page.images, error: page.failure, age: age(of: page))
    }

    /// Presents an error that left nothing to show; a cancelled load shows nothing at all.
    public func present(_ error: any Error) -> FeedViewModel {
        viewModel(images: [], error: error, age: nil)
    }

    private func viewModel(images: [FeedImage], error: (any Error)?, age: String?) -> FeedViewModel {
        FeedViewModel(
            title: language[.feedTitle],
            images: images.map { FeedImageViewModel($0, language: language) },
            error: error is CancellationError ? nil : error.map(language.message),
            age: age,
            emptyMessage: images.isEmpty && error == nil ? language[.feedEmpty] : nil,
            lastImage: images.last?.id
        )
    }

    private func age(of page: FeedPage) -> String? {
        guard case .cache(let savedAt) = page.source else { return nil }
        let ago = language.relativeText(of: savedAt, now: now, calendar: calendar)
        return language[.feedSaved].replacingOccurrences(of: "%@", with: ago)
    }
}
