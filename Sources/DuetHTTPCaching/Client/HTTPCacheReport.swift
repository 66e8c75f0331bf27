/// What an HTTP cache has to tell its owner, although every request goes on.
@nonexhaustive
public enum HTTPCacheReport: Sendable {
    /// What a store was asked to do.
    public enum StoreAction: Sendable, Hashable {
        /// To find or to read what is stored.
        case read

        /// To store, to update or to remove.
        case write
    }

    /// The store failed; until it works again requests go on without it, and nothing more is said of it.
    case storeFailed(StoreAction, underlying: any Error)

    /// The store, which had failed, has done what it was asked to, and has not failed for a minute.
    case storeWorks(StoreAction)

    /// Requests go past the cache, because a layer nearer to the network adds credentials, and nothing says whose they are.
    case credentialsHidden(by: String)
}

extension HTTPCacheReport: CustomStringConvertible {
    /// What happened and what to do about it.
    public var description: String {
        switch self {
        case .storeFailed(.read, let underlying):
            "The HTTP cache cannot read its store, and requests go to the origin until it can. \(underlying)"
        case .storeFailed(.write, let underlying):
            "The HTTP cache cannot write to its store, and nothing new is stored until it can. \(underlying)"
        case .storeWorks(.read):
            "The HTTP cache can read its store again."
        case .storeWorks(.write):
            "The HTTP cache can write to its store again."
        case .credentialsHidden(let layer):
            "Requests go past the HTTP cache: \"\(layer)\" gives them credentials that the cache does not see, and nothing says "
                + "whose they are. Put the cache nearer to the network, or set its configuration.partition."
        }
    }
}
