/// Decides which queued command is sent next.
///
/// Commands of one key are sent one at a time in the order of their numbers. Commands of different keys are sent
/// concurrently, up to a limit. A command that waits for failed ones is not sent before them.
struct SendOrder: Sendable {
    private struct Line: Sendable {
        /// The commands that are to be sent, in ascending order.
        var numbers: [Int] = []
        /// The commands that have failed, in ascending order.
        var failed: [Int] = []
        var isSending = false
    }

    private var lines: [String: Line] = [:]
    private var keys: [Int: String] = [:]
    /// The commands that are ready to be sent.
    private var ready: Set<Int> = []
    /// The commands that wait while an earlier one of their keys has failed.
    private var patient: Set<Int> = []
    /// The keys of the commands that are being sent, which may have been removed meanwhile.
    private var sending: [Int: String] = [:]
    /// Commands that were first in their lines and ready, the earliest first.
    private var candidates: ArraySlice<Int> = []
    private let limit: Int

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Adds a command to its line, also one that had failed.
    mutating func add(_ number: Int, key: String, waitsForFailed: Bool) {
        keys[number] = key
        if waitsForFailed { patient.insert(number) }
        lines[key]?.failed.remove(number)
        lines[key, default: Line()].numbers.insert(number)
    }

    /// Notes that a command has failed, also one that was not in its line.
    mutating func fail(_ number: Int, key: String) {
        remove(number)
        keys[number] = key
        lines[key, default: Line()].failed.insert(number)
    }

    /// Removes a command, because it was sent or dropped.
    ///
    /// An attempt that is running keeps its place until ``endAttempt(of:)``.
    mutating func remove(_ number: Int) {
        guard let key = keys.removeValue(forKey: number) else { return }
        ready.remove(number)
        patient.remove(number)
        lines[key]?.numbers.remove(number)
        lines[key]?.failed.remove(number)
        update(key)
    }

    /// Returns the first failed command that a command waits for; nil if it does not wait for one.
    func failed(before number: Int) -> Int? {
        guard patient.contains(number), let key = keys[number] else { return nil }
        return lines[key]?.failed.first.flatMap { $0 < number ? $0 : nil }
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
            && failed(before: number) == nil
    }

    private mutating func update(_ key: String) {
        guard let line = lines[key] else { return }
        if let first = line.numbers.first {
            if isDue(first, key) { candidates.append(first) }
        } else if !line.isSending, line.failed.isEmpty {
            lines[key] = nil
        }
    }
}

extension [Int] {
    /// Inserts a number into an array in ascending order.
    fileprivate mutating func insert(_ number: Int) {
        insert(number, at: lastIndex { $0 < number }.map { $0 + 1 } ?? 0)
    }

    fileprivate mutating func remove(_ number: Int) {
        if let index = firstIndex(of: number) { remove(at: index) }
    }
}
