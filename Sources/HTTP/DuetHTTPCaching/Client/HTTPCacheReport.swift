/// An event of an HTTP cache that its operator should know of, although no request fails.
///
/// Later versions may add cases:
///
/// ```swift
/// switch report {
/// case .credentialsHidden: assertionFailure("\(report)")
/// case .storeFailed, .storeWorks: print(report)
/// @unknown default: print(report)
/// }
/// ```
@nonexhaustive
public enum HTTPCacheReport: Sendable, CustomStringConvertible {
    /// An operation of a store.
    public enum StoreAction: Sendable, Hashable {
        /// Finding or reading responses.
        case read

        /// Storing, updating or removing responses.
        case write
    }

    /// The store failed.
    ///
    /// Requests continue without it. Further failures are not reported until it works again.
    case storeFailed(StoreAction, underlying: any Error)

    /// The store works again, and has not failed for a minute.
    case storeWorks(StoreAction)

    /// Requests bypass the cache, because a layer nearer to the network adds credentials of an unknown user.
    case credentialsHidden(by: String)

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
            """
            Requests bypass the HTTP cache: "\(layer)" adds credentials that the cache does not see, so that it does \
            not know the user. Put the cache nearer to the network, or set its configuration.partition.
            """
        }
    }
}
