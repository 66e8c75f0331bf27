public import DuetDependencies

/// The registrations of the pages for a browser.
///
/// These must be registered elsewhere: `any QueryDispatcher` for `LoadFeed`, `LoadFeedCacheSummary`, `LoadImageData`
/// and `LoadImageComments`; `CurrentDate`; `Calendar`; and `Logger`.
public struct WebModule: ContainerModule {
    private let imageLimit: Int

    /// Creates the module; the pages remember at most `imageLimit` images, and forget the oldest first.
    public init(imageLimit: Int = 20_000) {
        self.imageLimit = imageLimit
    }

    /// Registers the pages and their common index of images.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [imageLimit] in ImageIndex(limit: imageLimit) }
        builder.transient(FeedPages.self)
    }
}
