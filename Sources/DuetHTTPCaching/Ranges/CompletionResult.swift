/// What the answer to a completion means (RFC 9111, section 3.4).
package enum CompletionResult: Sendable, Hashable {
    /// The missing bytes follow; ``StoredResponse/joining(_:)`` says what is stored when they are there.
    case join(StoredResponse, Range<Int64>)
    /// The representation changed, or the origin sends all of it: an answer like any other.
    case replaced
    /// The origin failed.
    case failed
    /// The origin has no such bytes, or sends others than those asked for: the client's own request has to be sent.
    case unusable
}
