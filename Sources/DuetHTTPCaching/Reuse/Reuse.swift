/// What a cache does with a request (RFC 9111, section 4).
package enum Reuse: Sendable, Hashable {
    /// Answers with what is stored, now.
    case hit(Hit)
    /// Asks the origin whether what is stored still holds (section 4.3).
    case validate(Validation)
    /// Asks the origin for the rest of what is stored (section 3.4).
    case complete(Completion)
    /// Sends the request as it is.
    case forward(ForwardReason)
    /// Answers 504, because the request takes nothing but what is stored (section 5.2.1.7).
    case gatewayTimeout
}
