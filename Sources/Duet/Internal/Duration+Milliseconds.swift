extension Duration {
    /// The nearest whole number of milliseconds, as a person reads it; what is shorter than one stays as it is.
    package var inMilliseconds: Duration {
        guard self >= .milliseconds(1) else { return self }
        let attoseconds = components.attoseconds % 1_000_000_000_000_000
        let whole = self - Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
        return attoseconds < 500_000_000_000_000 ? whole : whole + .milliseconds(1)
    }
}
