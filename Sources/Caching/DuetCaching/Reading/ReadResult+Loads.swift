import Duet

extension ReadResult {
    /// Creates the result of a load that has just ended.
    init(loaded value: Value, at now: Double? = nil, isStale: Bool = false, error: (any Error)? = nil) {
        self.init(value: value, loaded: now, isStale: isStale || error != nil, error: error)
    }

    func markedStale(if isOutdated: Bool) -> ReadResult {
        guard isOutdated, !isStale else { return self }
        return ReadResult(value: value, origin: origin, age: age, loaded: loaded, isStale: true, error: error)
    }
}
