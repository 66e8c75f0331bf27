extension Duration {
    /// A number of minutes.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration { .seconds(minutes) * 60 }

    /// A number of hours.
    public static func hours(_ hours: some BinaryInteger) -> Duration { .seconds(hours) * 3_600 }

    /// A number of periods of 24 hours.
    ///
    /// A day of the calendar may be shorter or longer.
    public static func days(_ days: some BinaryInteger) -> Duration { .seconds(days) * 86_400 }
}

extension Duration {
    /// The duration in seconds, for arithmetic with dates.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension Duration {
    /// The duration in its two largest units, as in `7 days`, `1 hour 30 minutes`, or `250 milliseconds`.
    var text: String {
        if self < .zero { return "minus \((.zero - self).text)" }
        guard self >= .seconds(1) else { return Self.text(Int((inSeconds * 1_000).rounded()), "millisecond") }
        // The largest number often means "forever".
        var seconds = Int(min(inSeconds, 1e15).rounded())
        var parts: [String] = []
        for (unit, name) in [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")] where seconds >= unit {
            parts.append(Self.text(seconds / unit, name))
            seconds %= unit
        }
        return parts.prefix(2).joined(separator: " ")
    }

    private static func text(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
}
