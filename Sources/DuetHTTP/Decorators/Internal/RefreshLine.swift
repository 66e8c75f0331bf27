/// Who waits for a new token, where one refresh serves all.
///
/// Pure: it says what is to be done and does nothing.
package struct RefreshLine<Waiter: Sendable>: Sendable {
    private struct Place {
        let waiter: Waiter
        /// The token that was not taken from this one.
        let rejected: String?
    }

    private enum State {
        case idle
        case refreshing(replacing: String?, [Int: Place])
    }

    private var state = State.idle
    private var lastID = 0

    /// How many wait.
    package var count: Int {
        if case .refreshing(_, let places) = state { places.count } else { 0 }
    }

    package init() {}

    /// An id that nobody else has.
    package mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Joins those who wait for a token other than `rejected`; true for the first of them, for whom the refresh is to begin.
    package mutating func join(_ id: Int, _ waiter: Waiter, replacing rejected: String?) -> Bool {
        let place = Place(waiter: waiter, rejected: rejected)
        switch state {
        case .idle:
            state = .refreshing(replacing: rejected, [id: place])
            return true
        case .refreshing(let replaced, var places):
            state = .idle
            places[id] = place
            state = .refreshing(replacing: replaced, places)
            return false
        }
    }

    /// Takes out one who no longer waits; nil for one who was told already.
    ///
    /// The refresh goes on for the others, or for who comes next.
    package mutating func leave(_ id: Int) -> Waiter? {
        guard case .refreshing(let replaced, var places) = state else { return nil }
        let place = places.removeValue(forKey: id)
        state = .refreshing(replacing: replaced, places)
        return place?.waiter
    }

    /// Ends the refresh with a token: who is to be told, and whether a refresh is to begin in place of this very token.
    ///
    /// It is for those who were refused with it before it had come to all. What that refresh ends with is for them, whatever
    /// it is, so each waits for two at most.
    package mutating func end(with token: String?) -> (told: [Waiter], isToBeginAgain: Bool) {
        guard case .refreshing(let replaced, let places) = state else { return ([], false) }
        let refused = token == nil || token == replaced ? [:] : places.filter { $0.value.rejected == token }
        state = refused.isEmpty ? .idle : .refreshing(replacing: token, refused)
        return (places.filter { refused[$0.key] == nil }.map(\.value.waiter), !refused.isEmpty)
    }

    /// Ends the refresh without a token; all who wait are to be told.
    package mutating func fail() -> [Waiter] {
        guard case .refreshing(_, let places) = state else { return [] }
        state = .idle
        return places.values.map(\.waiter)
    }
}
