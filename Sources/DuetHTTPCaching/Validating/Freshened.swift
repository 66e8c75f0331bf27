/// Stored responses that a 304 confirmed (RFC 9111, section 4.3.4).
package struct Freshened: Sendable, Hashable {
    /// The one to answer with.
    package let answer: StoredResponse
    /// All that were confirmed, as they are kept from now on, beside what each of them replaces.
    package let updates: [Update]
    /// Whether they may be kept; a 304 may forbid it (section 5.2.2.5).
    package let isStorable: Bool

    package struct Update: Sendable, Hashable {
        package let old: StoredResponse
        package let new: StoredResponse
    }
}
