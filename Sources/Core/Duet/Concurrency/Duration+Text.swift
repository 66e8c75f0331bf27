extension Duration {
    /// The duration as people read it, as in `7 days`, `1 hour 30 minutes`, `1.5 seconds`, `12 milliseconds` or
    /// `0.2 milliseconds`.
    package var text: String {
        if self < .zero { return "minus \((.zero - self).text)" }
        if self < .milliseconds(1) { return Self.text(thousandths: count(of: .microseconds(1)), "millisecond") }
        let milliseconds = count(of: .milliseconds(1))
        if milliseconds < 1_000 { return Self.text(milliseconds, "millisecond") }
        if milliseconds < 60_000 { return Self.text(thousandths: milliseconds, "second") }
        // The two largest units.
        var rest = count(of: .seconds(1))
        var parts: [String] = []
        for (unit, name) in [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")] where rest >= unit {
            parts.append(Self.text(rest / unit, name))
            rest %= unit
        }
        return parts.prefix(2).joined(separator: " ")
    }

    // The largest duration often means "forever", and any number of it will do.
    private func count(of unit: Duration) -> Int { Int((min(self, .seconds(1_000_000_000_000)) / unit).rounded()) }

    private static func text(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }

    private static func text(thousandths count: Int, _ unit: String) -> String {
        guard count % 1_000 > 0 else { return text(count / 1_000, unit) }
        var digits = String(String(count % 1_000 + 1_000).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(count / 1_000).\(digits) \(unit)s"
    }
}
