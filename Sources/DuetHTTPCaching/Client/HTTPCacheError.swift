/// What an HTTP cache cannot do for who asks it.
@nonexhaustive
public enum HTTPCacheError: Error, Hashable {
    /// A body that requests share was read too slowly, and what came next was neither held any more nor stored.
    ///
    /// The limit, in bytes, is ``CachingHTTPClient/Configuration/sharedBodyLimit``.
    case leftBehind(url: String, limit: Int)

    /// A body that can be read once was read before.
    case bodyReadBefore(url: String)

    /// Nothing is stored for what is no http or https URI with a host, or holds what none may, as a fragment.
    case noTarget(url: String)
}

extension HTTPCacheError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .leftBehind(let url, let limit):
            "The rest of the body of \(url) has gone: it was read so far behind the fastest of those who share it that it was not held "
                + "any more (\(limit) bytes at most), and it is not stored, or not any more. Read it faster, or raise "
                + "configuration.sharedBodyLimit."
        case .bodyReadBefore(let url):
            "The body of \(url) was read before, and can be read once. Collect it, or send the request again."
        case .noTarget(let url):
            "Nothing is stored for \(url). Give the request http or https, an authority, and a path as it is sent, without a fragment."
        }
    }
}
