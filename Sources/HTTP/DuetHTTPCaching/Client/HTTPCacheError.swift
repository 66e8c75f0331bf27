/// An error of an HTTP cache.
@nonexhaustive
public enum HTTPCacheError: Error, Hashable, CustomStringConvertible {
    /// No response to the URL can be stored, because it is not an HTTP URI with a host, or has a fragment or invalid
    /// characters.
    case noTarget(url: String)

    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .noTarget(let url):
            "No response to \(url) can be stored. Use an http or https URL with a host and a percent-encoded path, and "
                + "without a fragment."
        }
    }
}
