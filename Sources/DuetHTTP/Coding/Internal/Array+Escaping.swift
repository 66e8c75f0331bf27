extension [UInt8] {
    /// Appends a text, in which `escape` writes what cannot stand for itself.
    ///
    /// Nearly all texts are written as they are, and a text is copied faster than its bytes are looked at one by one.
    mutating func append(_ text: String, escaping isEscaped: (UInt8) -> Bool, with escape: (UInt8, inout Self) -> Void)
    {
        let start = count
        append(contentsOf: text.utf8)
        guard let first = self[start...].firstIndex(where: isEscaped) else { return }
        removeSubrange(first...)
        for byte in text.utf8.dropFirst(first - start) {
            if isEscaped(byte) { escape(byte, &self) } else { append(byte) }
        }
    }
}
