/// Why a response is not stored (RFC 9111, section 3).
package enum NotStored: String, Sendable, Hashable, CaseIterable {
    /// The method is not GET or HEAD, nor a POST that may be stored.
    case method
    /// The status code is not final, or the response answers the conditions or the range of this request alone.
    case status
    /// Neither does the origin say that it may be stored, nor does its status code.
    case notCacheable = "not-cacheable"
    /// 5.2.2.3: `must-understand`, with a status code that this cache does not know.
    case notUnderstood = "not-understood"
    /// 5.2.1.5, 5.2.2.5.
    case noStore = "no-store"
    /// 5.2.2.7, in a shared cache.
    case isPrivate = "private"
    /// 3.5, in a shared cache.
    case authorization
    /// 4.1: `Vary: *`, or more fields than are compared.
    case vary
    /// It can never be reused: it is not fresh, and nothing could validate it.
    case unusable
    /// 3.3: part of a representation, but not which, or several parts.
    case range
}
