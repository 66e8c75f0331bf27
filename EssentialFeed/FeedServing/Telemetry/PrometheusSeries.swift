import CoreMetrics
import Synchronization

/// The values of one metric for one combination of labels.
protocol Series: Sendable {
    /// The lines of the text format.
    func lines(name: String, labels: String) -> [String]
}

/// A counter or a gauge.
final class NumberSeries: Series, CounterHandler, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func reset() { set(0.0) }

    func lines(name: String, labels: String) -> [String] {
        [line(name, labels, value.withLock(\.self).number)]
    }
}

/// A histogram, or without bounds a summary.
final class DistributionSeries: Series, TimerHandler, RecorderHandler {
    private struct State {
        /// The numbers of values up to each bound and above the one before, and at the end those above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// Creates a distribution with ascending bounds of its buckets.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func lines(name: String, labels: String) -> [String] {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total = 0
        // The buckets of the format are cumulative.
        let buckets = zip(bounds + [.infinity], counts).map { bound, count in
            total += count
            let label = "le=\"\(bound.number)\""
            return line("\(name)_bucket", labels.isEmpty ? label : "\(labels),\(label)", "\(total)")
        }
        return (bounds.isEmpty ? [] : buckets)
            + [line("\(name)_sum", labels, sum.number), line("\(name)_count", labels, "\(total)")]
    }
}

private func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
}

extension Double {
    /// The number in the text format, which names infinity.
    fileprivate var number: String {
        if self == .infinity { return "+Inf" }
        if self == -.infinity { return "-Inf" }
        if isNaN { return "NaN" }
        return Int64(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}
