public import DuetDependencies

/// The registrations of the pages for a browser, which a request resolves.
///
/// It leaves open where messages are handled, `any QueryDispatcher` of `LoadFeed`, `LoadImageData` and `LoadImageComments`;
/// what the time is, `CurrentDate` and `Calendar`; and where failures are logged, `Logger`.
public struct WebModule: ContainerModule {
    private let imageLimit: Int

    /// Pages that remember at most `imageLimit` images' addresses; those delivered longest ago are forgotten first.
    public init(imageLimit: Int = 20_000) {
        self.imageLimit = imageLimit
    }

    /// Registers the pages, and the index of images that they share.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [imageLimit] in ImageIndex(limit: imageLimit) }
        builder.transient(FeedPages.self)
    }
}
