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
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
