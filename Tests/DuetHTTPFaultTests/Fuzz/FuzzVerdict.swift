/// How an input was read.
enum FuzzVerdict: Hashable, Sendable {
    /// It leads past what is fuzzed.
    case elsewhere

    /// It was read, or refused as it should be.
    case fine

    /// Something is wrong, namely this.
    case fault(String)
}

extension FuzzVerdict {
    /// Fine, or what is wrong if there is something.
    init(_ fault: String?) {
        self = fault.map(Self.fault) ?? .fine
    }
}
