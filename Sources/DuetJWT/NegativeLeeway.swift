/// The clocks of issuer and server were said to differ by less than nothing.
public struct NegativeLeeway: Error, Hashable {
    /// What was given.
    public let leeway: Duration
}

extension NegativeLeeway: CustomStringConvertible {
    /// What was refused and what to do about it.
    public var description: String {
        "A leeway of \(leeway) makes tokens end before they say. Give one of zero or more."
    }
}
