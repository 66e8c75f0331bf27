extension String {
    /// The text itself, or one that equals another one only if all bytes are equal.
    ///
    /// Canonically equivalent texts are equal as `String`.
    package var exact: String { utf8.contains { $0 >= 0x80 } ? String(exactly: utf8) : self }

    /// Creates a text with one character for each byte.
    package init(exactly bytes: some Sequence<UInt8>) {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        self.init(text)
    }
}
