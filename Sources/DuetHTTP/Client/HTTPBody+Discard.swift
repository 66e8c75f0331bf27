extension HTTPBody {
    /// Lets go of the bytes, because the answer that they belong to is not the one that is handed on.
    ///
    /// A small body is read to its end, which leaves its connection to the next request; of any other it is closed.
    public func discard() async {
        guard whole == nil else { return }
        var reader = makeAsyncIterator()
        guard let size, size <= 4096 else { return }
        var rest = size
        while rest >= 0, let piece = try? await reader.next() { rest -= Int64(piece.count) }
    }

    /// Whether its bytes can be sent no more than once.
    var isGoneWhenSent: Bool { whole == nil }
}
