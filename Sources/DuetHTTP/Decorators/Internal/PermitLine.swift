/// Who may go on and who waits, in the order of arrival, where only so many may go on at a time.
///
/// Pure: it says who is to be woken and wakes nobody. A permit that is given back goes to the first who waits, so nobody waits
/// while one is free.
package struct PermitLine<Waiter: Sendable>: Sendable {
    /// How many permits nobody has.
    package private(set) var free: Int

    private var waiters: [Int: Waiter] = [:]
    /// The ids of those who came, from `head` on; who left is no longer among the waiters.
    private var order: [Int] = []
    private var head = 0
    private var lastID = 0

    /// How many wait.
    package var count: Int { waiters.count }

    package init(permits: Int) {
        free = permits
    }

    /// An id that nobody else has.
    package mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Takes a permit, if one is free.
    package mutating func takePermit() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    /// Joins the line at its end.
    package mutating func join(_ id: Int, _ waiter: Waiter) {
        waiters[id] = waiter
        order.append(id)
    }

    /// Leaves the line and hands back who waited; nil for one who does not wait, or who was given the permit already.
    package mutating func leave(_ id: Int) -> Waiter? {
        defer { forgetGone() }
        return waiters.removeValue(forKey: id)
    }

    /// Gives a permit back, and hands it to the first in the line, who is to be woken; nil when nobody waits.
    package mutating func giveBack() -> Waiter? {
        defer { forgetGone() }
        while head < order.count {
            defer { head += 1 }
            if let waiter = waiters.removeValue(forKey: order[head]) { return waiter }
        }
        free += 1
        return nil
    }

    private mutating func forgetGone() {
        // Many at once, so that each costs next to nothing.
        guard order.count > 2 * waiters.count + 32 else { return }
        order = order[head...].filter { waiters[$0] != nil }
        head = 0
    }
}
