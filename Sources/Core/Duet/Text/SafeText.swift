extension StringProtocol {
    /// Third-party text on one line for a terminal, a log or an event, with at most `limit` scalars.
    ///
    /// Spaces replace what a terminal interprets, what ends a line, and what hides text or changes its direction:
    /// control and format characters and separators of lines and paragraphs (Unicode Standard, section 4.5). A joiner
    /// stays behind a character that is not ASCII, because emoji and scripts such as Persian and Hindi need it. A
    /// longer text ends with an ellipsis.
    package func safe(upTo limit: Int = 2_000) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else {
                result.append("…")
                break
            }
            count += 1
            let isJoined = scalar.isJoiner && result.last.map { !$0.isASCII && !$0.isJoiner } == true
            result.append(scalar.isInterpreted && !isJoined ? " " : scalar)
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a text layout interprets this character in place of showing it.
    package var isInterpreted: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether this is the zero-width non-joiner or joiner.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}
