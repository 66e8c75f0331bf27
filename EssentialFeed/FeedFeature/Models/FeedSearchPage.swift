/// A page of found images, with its source.
public struct FeedSearchPage: Hashable, Sendable {
    /// A part of a query that needs facts that the cache does not have.
    @nonexhaustive
    public enum Condition: Hashable, CaseIterable, Sendable {
        /// ``FeedFilter/hasComments``.
        case hasComments

        /// ``FeedFilter/publishedSince``.
        case publishedSince

        /// ``FeedOrder/mostCommented``.
        case mostCommented
    }

    /// The found images, in the order of the query.
    ///
    /// An empty page from the server ends the results.
    public let images: [FeedImage]

    /// The source of the images.
    public let source: FeedPage.Source

    /// The server's failure, if the server was tried first.
    public let failure: RemoteFailure?

    /// The parts of the query that were left out; always empty for a page from the server.
    public let unapplied: Set<Condition>

    /// Creates a page.
    public init(
        images: [FeedImage],
        source: FeedPage.Source,
        failure: RemoteFailure? = nil,
        unapplied: Set<Condition> = []
    ) {
        self.images = images
        self.source = source
        self.failure = failure
        self.unapplied = unapplied
    }
}
