extension Double {
    /// The number with a number of decimals.
    public func text(_ decimals: Int = 2) -> String {
        guard isFinite else { return "\(self)" }
        let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((self * Double(scale)).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let fraction = "\(scale + abs(scaled) % scale)".dropFirst()
        return "\(scaled < 0 ? "-" : "")\(abs(scaled) / scale).\(fraction)"
    }
}

extension String {
    /// The text, padded with spaces.
    public func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

/// Prints a line of the final table, which `run.sh` collects: the name, the measured value, and the maximum.
public func printFigure(_ name: String, _ measured: Double, atMost limit: Double?) {
    let verdict = limit.map { measured <= $0 ? "met" : "MISSED" } ?? "no limit"
    print("= \(name)|\(measured.text())|\(limit.map { "<= \($0)" } ?? "-")|\(verdict)")
}

/// Prints a line of the final table for a figure with a minimum.
public func printFigure(_ name: String, _ measured: Double, atLeast limit: Double) {
    print("= \(name)|\(measured.text())|>= \(limit)|\(measured >= limit ? "met" : "MISSED")")
}
