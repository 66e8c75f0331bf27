/// A stored response that a 304 confirmed (RFC 9111, section 4.3.4).
package struct Freshened: Sendable, Hashable {
    /// As it was stored.
    package let old: StoredResponse
    /// As it answers, and is kept from now on.
    package let new: StoredResponse
    /// Why it may not be kept, as a 304 may forbid it (section 5.2.2.5); nil when it may.
    package let refusal: NotStored?

    /// Whether it may be kept.
    package var isStorable: Bool { refusal == nil }
}
