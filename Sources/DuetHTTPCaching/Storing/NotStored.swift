/// Why the answer to a request is not stored (RFC 9111, section 3); its text is the `detail` in `Cache-Status`.
@nonexhaustive
public enum NotStored: String, Sendable, Hashable, CaseIterable {
    /// The method is not GET or HEAD, nor a POST that may be stored.
    case method

    /// The request has no http URI with a host, or one that holds what none may, as a fragment (section 2).
    case target

    /// A GET with a body asks something else than its URI does.
    case requestBody = "request-body"

    /// A layer nearer to the network adds credentials, and nothing says whose they are; or they hold bytes that were no
    /// UTF-8, so that others look the same.
    case hiddenCredentials = "hidden-credentials"

    /// The status code is not final, or the response answers the conditions or the range of this request alone.
    case status

    /// Neither does the origin say that it may be stored, nor does its status code; or a shared cache would hand on a
    /// cookie of which the origin says neither `public` nor for how long.
    case notCacheable = "not-cacheable"

    /// `must-understand`, with a status code that this cache does not know (section 5.2.2.3).
    case notUnderstood = "not-understood"

    /// The request or the response says `no-store` (sections 5.2.1.5 and 5.2.2.5).
    case noStore = "no-store"

    /// A shared cache keeps nothing that is `private` (section 5.2.2.7).
    case `private`

    /// A shared cache keeps an answer to `Authorization` only where it says so (section 3.5).
    case authorization

    /// `Vary: *`, a name in it that cannot be read, more fields than are compared, or a value that holds bytes that
    /// were no UTF-8 (section 4.1).
    case vary

    /// It could never be used without asking anew, as what is not fresh for any time or says `no-cache`, and has no
    /// validator.
    case noFreshness = "no-freshness"

    /// Part of a representation, but not which, or several; or less of it than is stored already (section 3.3); or an
    /// answer to `If-Range`, which need not have all fields (RFC 9110, section 15.3.7).
    case range

    /// The origin failed: what is stored is not given up for that (section 4.3.3).
    case originError = "origin-error"

    /// `Vary` selects it by a secret of the request, which a store that outlives the process is not given.
    case secret = "secret-not-stored"

    /// Its body broke off, or has another length than was announced.
    case incomplete

    /// It was made invalid or replaced by a newer one while it came.
    case outdated

    /// The store did not take it: it has no room for so much, or failed, which is reported.
    case store
}
