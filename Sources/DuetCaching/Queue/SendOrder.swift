/// Decides which queued command is sent next.
///
/// Commands of one key are sent one at a time in the order of their numbers. Commands of different keys are sent
/// concurrently, up to a limit.
struct SendOrder: Sendable {
    private struct Line: Sendable {
        /// The commands that are to be sent, in ascending order.
        var numbers: [Int] = []
        var isSending = false
    }

    private var lines: [String: Line] = [:]
    private var keys: [Int: String] = [:]
    /// The commands that are ready to be sent.
    private var ready: Set<Int> = []
    /// The keys of the commands that are being sent, which may have been removed meanwhile.
    private var sending: [Int: String] = [:]
    /// Commands that were first in their lines and ready, the earliest first.
    private var candidates: ArraySlice<Int> = []
    private let limit: Int

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Adds a command to its line.
    mutating func add(_ number: Int, key: String) {
        keys[number] = key
        // The line is changed in its place: a copy of a long one takes time.
        let place = lines[key]?.numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
        lines[key, default: Line()].numbers.insert(number, at: place)
    }

    /// Removes a command, because it was sent, failed, or was dropped.
    ///
    /// An attempt that is running keeps its place until ``endAttempt(of:)``.
    mutating func remove(_ number: Int) {
        guard let key = keys.removeValue(forKey: number) else { return }
        ready.remove(number)
        if let index = lines[key]?.numbers.firstIndex(of: number) { lines[key]?.numbers.remove(at: index) }
        update(key)
    }

    /// Notes that a command is to be sent as soon as it is its turn.
    mutating func noteReady(_ number: Int) {
        guard let key = keys[number] else { return }
        ready.insert(number)
        update(key)
    }

    /// Lets a command be sent before those of other keys, if it is the first of its key.
    mutating func prefer(_ number: Int) {
        if let key = keys[number], isDue(number, key) { candidates = [number] + candidates }
    }

    /// Notes that an attempt has ended, so that others can begin.
    mutating func endAttempt(of number: Int) {
        guard let key = sending.removeValue(forKey: number) else { return }
        lines[key]?.isSending = false
        update(key)
        // Candidates of other keys need no update, because they stay in the list.
    }

    /// Begins the attempt of the next command whose turn it is, if there is one.
    ///
    /// - Parameter isAlone: Whether no other attempt may run at the same time.
    mutating func next(isAlone: Bool) -> Int? {
        while sending.count < (isAlone ? 1 : limit), let number = candidates.popFirst() {
            // An earlier command may have been added meanwhile.
            guard let key = keys[number], isDue(number, key) else { continue }
            ready.remove(number)
            sending[number] = key
            lines[key]?.isSending = true
            return number
        }
        return nil
    }

    private func isDue(_ number: Int, _ key: String) -> Bool {
        guard let line = lines[key] else { return false }
        return !line.isSending && line.numbers.first == number && ready.contains(number)
    }

    private mutating func update(_ key: String) {
        guard let line = lines[key] else { return }
        if let first = line.numbers.first {
            if isDue(first, key) { candidates.append(first) }
        } else if !line.isSending {
            lines[key] = nil
        }
    }
}
