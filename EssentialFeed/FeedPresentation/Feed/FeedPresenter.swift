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
        viewModel(images: page.images, error: page.failure, age: age(of: page))
    }

    /// Presents an error without images; a cancelled load shows no error.
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
