/// How an input was read.
package enum FuzzVerdict: Hashable, Sendable {
    /// The input does not reach the fuzzed component.
    case elsewhere

    /// The input was read, or refused correctly.
    case fine

    /// There is a fault.
    case fault(String)
}

extension FuzzVerdict {
    /// Fine, or the fault if there is one.
    package init(_ fault: String?) {
        self = fault.map(Self.fault) ?? .fine
    }
}
