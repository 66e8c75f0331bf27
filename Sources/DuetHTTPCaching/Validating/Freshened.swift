/// A stored response with the newer fields of an answer that confirmed it (RFC 9111, sections 4.3.4 and 4.3.5).
package struct Freshened: Sendable, Hashable {
    /// As it was stored.
    package let old: StoredResponse
    /// As it answers, and is kept from now on.
    package let new: StoredResponse
    /// Why it may not be kept, as a 304 may forbid it (section 5.2.2.5); nil when it may.
    package let refusal: NotStored?

    /// What is kept; nil when it may not be.
    package var storable: StoredResponse? { refusal == nil ? new : nil }
}
