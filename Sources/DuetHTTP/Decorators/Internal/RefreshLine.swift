/// Who waits for a new token, where one refresh serves all.
///
/// Pure: it says what is to be done and does nothing.
package struct RefreshLine<Waiter: Sendable>: Sendable {
    private enum State {
        case idle
        case refreshing([Int: Waiter])
    }

    private var state = State.idle
    private var lastID = 0

    /// How many wait.
    package var count: Int {
        if case .refreshing(let waiters) = state { waiters.count } else { 0 }
    }

    package init() {}

    /// An id that nobody else has.
    package mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Joins those who wait; true for the first of them, for whom the refresh is to begin.
    package mutating func join(_ id: Int, _ waiter: Waiter) -> Bool {
        switch state {
        case .idle:
            state = .refreshing([id: waiter])
            return true
        case .refreshing(var waiters):
            state = .idle
            waiters[id] = waiter
            state = .refreshing(waiters)
            return false
        }
    }

    /// Takes out one who no longer waits; nil for one who was told already.
    ///
    /// The refresh goes on for the others, or for who comes next.
    package mutating func leave(_ id: Int) -> Waiter? {
        guard case .refreshing(var waiters) = state else { return nil }
        let waiter = waiters.removeValue(forKey: id)
        state = .refreshing(waiters)
        return waiter
    }

    /// Ends the refresh; all who wait are to be told.
    package mutating func end() -> [Waiter] {
        guard case .refreshing(let waiters) = state else { return [] }
        state = .idle
        return Array(waiters.values)
    }
}
