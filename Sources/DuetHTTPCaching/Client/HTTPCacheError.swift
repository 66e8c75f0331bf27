/// An error of an HTTP cache.
@nonexhaustive
public enum HTTPCacheError: Error, Hashable {
    /// The body was read before, and can be read once.
    case bodyReadBefore(url: String)

    /// No response to the URL can be stored: it is not an http or https URI with a host, or has a part that no target
    /// has, such as a fragment.
    case noTarget(url: String)
}

extension HTTPCacheError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .bodyReadBefore(let url):
            "The body of \(url) was read before, and can be read once. Collect it, or send the request again."
        case .noTarget(let url):
            "No response to \(url) can be stored. Give the request http or https, an authority, and a path as it is "
                + "sent, without a fragment."
        }
    }
}
