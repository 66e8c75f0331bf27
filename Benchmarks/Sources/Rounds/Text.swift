extension Double {
    /// The number with so many decimals.
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
    /// The text, filled up with spaces.
    public func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

/// Prints a line of the final table, which `run.sh` collects: the figure, what was measured, and what the limit is.
public func printFigure(_ name: String, _ measured: Double, atMost limit: Double?) {
    let verdict = limit.map { measured <= $0 ? "met" : "MISSED" } ?? "no limit"
    print("= \(name)|\(measured.text())|\(limit.map { "<= \($0)" } ?? "-")|\(verdict)")
}

/// Prints a line of the final table of a figure that has to be large.
public func printFigure(_ name: String, _ measured: Double, atLeast limit: Double) {
    print("= \(name)|\(measured.text())|>= \(limit)|\(measured >= limit ? "met" : "MISSED")")
}
