import Duet
import Foundation

/// The commands of a queue and what happens with them.
///
/// Its functions have no effects: they return what is to be done.
struct QueueState {
    /// A command that is being sent, or whose rules are being carried out afterward.
    struct Attempt {
        let number: Int
        let name: String
        let key: String
        /// Whether nothing else is sent meanwhile.
        let isAlone: Bool
        fileprivate let lastPauses: (connection: Int, name: Int)
        /// The entry of a command that was dropped meanwhile.
        fileprivate var dropped: QueueEntry?
        fileprivate var isCanceled = false
        /// Whether the rules of the command are being carried out.
        fileprivate var isEnding = false
        fileprivate var task: Task<Void, Never>?
    }

    private(set) var entries: [UUID: QueueEntry] = [:]
    /// The commands in the order of attempts.
    private(set) var order: [UUID] = []
    private(set) var pauses = SendPauses()
    private var attempts: [UUID: Attempt] = [:]
    private var lastAttempt = 0
    private var canceled: [Task<Void, Never>] = []
    /// The commands of each key, in the order of attempts.
    private var keys: [String: [UUID]] = [:]
    /// The keys whose first command may be due, the longest first, without those of which one is being sent.
    private var due: ArraySlice<String> = []
    private var dueKeys: Set<String> = []
    private var delayed: Set<UUID> = []
    private let limit: Int

    /// Whether this queue has the right to send.
    var hasClaim = false

    /// - Parameter limit: The number of commands with different keys that are sent at a time.
    init(limit: Int) {
        self.limit = max(1, limit)
    }
}

// MARK: The list

extension QueueState {
    func contains(_ id: UUID) -> Bool { entries[id] != nil }

    /// Whether a command is being sent, or its rules are being carried out.
    func isBeingSent(_ id: UUID) -> Bool { attempts[id] != nil }

    /// Adds a command after all others.
    mutating func add(_ entry: QueueEntry) {
        let id = entry.stored.id
        entries[id] = entry
        order.append(id)
        keys[entry.stored.key, default: []].append(id)
        noteDue(entry.stored.key)
    }

    mutating func change(_ id: UUID, _ change: (inout QueueEntry) -> Void) {
        guard var entry = entries[id] else { return }
        change(&entry)
        entries[id] = entry
        noteDue(entry.stored.key)
    }

    var failed: [QueueEntry] { order.compactMap { entries[$0] }.filter { $0.failure != nil } }

    /// The commands that are neither being sent nor failed.
    var waiting: [UUID] { order.filter { attempts[$0] == nil && entries[$0]?.failure == nil } }

    /// Removes commands, cancels their attempts, and returns those without one.
    @discardableResult
    mutating func remove(_ ids: [UUID]) -> [QueueEntry] {
        let removed = take(ids)
        for entry in removed where attempts[entry.id] != nil {
            attempts[entry.id]?.dropped = entry
            cancel(entry.id)
        }
        if entries.isEmpty { pauses.endAll() }
        return removed.filter { attempts[$0.id] == nil }
    }

    mutating func removeIdle() -> [QueueEntry] { take(order.filter { attempts[$0] == nil }) }

    private mutating func take(_ ids: [UUID]) -> [QueueEntry] {
        let taken = ids.compactMap { entries.removeValue(forKey: $0) }
        delayed.subtract(ids)
        let removed = Set(taken.map(\.id))
        order.remove(removed)
        for key in Set(taken.map(\.stored.key)) {
            keys[key]?.remove(removed)
            if keys[key]?.isEmpty == true { keys[key] = nil }
            noteDue(key)
        }
        return taken
    }
}

// MARK: The store

extension QueueState {
    /// The changes of other queues for which something is left to do.
    struct Merge {
        var failed: [QueueEntry] = []
        /// Commands that were sent or dropped there, which stay in the list until their rules were carried out.
        var gone: [QueueEntry] = []
        var hasRestarted = false
        /// Commands that another queue wants to be sent now.
        var requested: [UUID] = []
    }

    /// Changes the list to match the store.
    ///
    /// - Parameter new: The commands that are not in the list.
    mutating func merge(_ commands: [StoredCommand], adding new: [QueueEntry], by rules: [String: QueueRule]) -> Merge {
        var merge = Merge()
        var missing = Set(order)
        for stored in commands where missing.remove(stored.id) != nil {
            update(to: stored, rules[stored.name], &merge)
        }
        let isDropped = { (id: UUID) in hasClaim || entries[id]?.failure != nil }
        let dropped = missing.filter(isDropped)
        merge.gone = missing.subtracting(dropped).filter { attempts[$0] == nil }.compactMap { entries[$0] }
        // The changes of a failed one are withdrawn already.
        merge.failed += remove(Array(dropped)).filter { $0.failure == nil }
        for entry in new { add(entry) }
        sort(as: commands)
        return merge
    }

    private mutating func update(to stored: StoredCommand, _ rule: QueueRule?, _ merge: inout Merge) {
        guard var entry = entries[stored.id] else { return }
        let known = entry.stored
        if stored.sendRequests > known.sendRequests { merge.requested.append(stored.id) }
        entry.stored.sendRequests = stored.sendRequests
        // An attempt notes what it leads to by itself.
        if attempts[stored.id] == nil { entry.stored = stored }
        if entry.failure != nil, known.failure != nil, stored.failure == nil {
            entry.restart(by: rule)
            merge.hasRestarted = true
        } else if entry.failure == nil, !hasClaim, let failure = stored.failure {
            merge.failed.append(entry)
            entry.fail(because: failure)
        }
        change(stored.id) { $0 = entry }
    }

    private mutating func sort(as commands: [StoredCommand]) {
        let stored = commands.map(\.id).filter { entries[$0] != nil }
        guard stored != order else { return }
        let known = Set(stored)
        order = stored + order.filter { !known.contains($0) }
        keys = [:]
        for id in order { if let key = entries[id]?.stored.key { keys[key, default: []].append(id) } }
        for key in keys.keys { noteDue(key) }
    }
}

// MARK: Attempts

extension QueueState {
    /// Whether no attempt runs, and none begins before a pause or a delay ends or somebody acts.
    var isIdle: Bool { attempts.isEmpty }

    struct Beginning {
        let entry: QueueEntry
        let attempt: Int
        /// Why the command is not sent, but fails.
        let refusal: (any Error)?
    }

    mutating func begin(at time: Duration) -> [Beginning] {
        pauses.end(at: time)
        for id in delayed where entries[id]?.delay?.hasEnded(at: time) == true {
            entries[id]?.delay = nil
            delayed.remove(id)
        }
        var begun: [Beginning] = []
        while hasClaim, pauses.connection.pause == nil, let entry = nextDue() { begun.append(begin(entry, at: time)) }
        return begun
    }

    /// The time at which the next pause or delay ends; nil without one.
    var nextEnd: Duration? {
        guard hasClaim else { return nil }
        return (pauses.ends + delayed.compactMap { entries[$0]?.delay?.end }).min()
    }

    private mutating func begin(_ entry: QueueEntry, at time: Duration) -> Beginning {
        lastAttempt += 1
        let id = entry.stored.id
        attempts[id] = Attempt(
            number: lastAttempt,
            name: entry.stored.name,
            key: entry.stored.key,
            isAlone: entry.isInterrupted,
            lastPauses: pauses.lastPauses(for: entry.stored.name)
        )
        let refusal = entry.refusal(at: time)
        if refusal == nil { entries[id]?.stored.noteBeginOfAttempt() }
        return Beginning(entry: entries[id] ?? entry, attempt: lastAttempt, refusal: refusal)
    }

    mutating func note(_ task: Task<Void, Never>, of id: UUID, _ attempt: Int) {
        guard attempts[id]?.number == attempt else { return }
        attempts[id]?.task = task
        if attempts[id]?.isCanceled == true { canceled.append(task) }
    }

    private mutating func cancel(_ id: UUID) {
        attempts[id]?.isCanceled = true
        if let task = attempts[id]?.task { canceled.append(task) }
    }

    mutating func takeCanceled() -> [Task<Void, Never>] {
        defer { canceled = [] }
        return canceled
    }

    mutating func stop() {
        pauses = SendPauses()
        for id in delayed { entries[id]?.endDelay() }
        delayed = []
        for id in attempts.keys { cancel(id) }
    }

    /// Notes that the rules of a command are carried out now, and returns its entry, also if it was dropped.
    mutating func beginEnd(of id: UUID) -> QueueEntry? {
        attempts[id]?.isEnding = true
        return entries[id] ?? attempts[id]?.dropped
    }

    /// Adds changes of a command that a follower shows, and returns false if the command has ended.
    mutating func add(_ shown: [any ShownCommand], to id: UUID) -> Bool {
        guard attempts[id]?.isEnding != true, entries[id]?.failure == nil else { return false }
        entries[id]?.shown += shown
        return entries[id] != nil
    }

    mutating func noteResponse(to name: String) { pauses.noteResponse(to: name) }

    /// Ends an attempt.
    ///
    /// - Returns: The entry of a command that was dropped meanwhile, and whose changes are still shown.
    mutating func endAttempt(of id: UUID, removing isRemoved: Bool = false) -> QueueEntry? {
        if isRemoved { _ = take([id]) }
        guard let attempt = attempts.removeValue(forKey: id) else { return nil }
        noteDue(attempt.key)
        if entries.isEmpty { pauses.endAll() }
        return attempt.isEnding ? nil : attempt.dropped
    }

    /// Ends an attempt after a temporary failure, and lets the command be sent again after the pauses.
    ///
    /// - Parameter wish: The pause that the failure asks for; nil for none.
    mutating func endAttempt(
        of id: UUID,
        after error: any Error,
        obeying wish: SendPauses.Pause?,
        _ backoff: (_ failures: Int) -> SendPauses.Pause
    ) -> QueueEntry? {
        guard let attempt = attempts[id], var entry = entries[id] else { return endAttempt(of: id) }
        entry.noteTemporaryFailure(error)
        let failures = pauses.noteFailure(
            of: attempt.name,
            isConnection: (error as? any TemporaryError)?.concernsConnection ?? true,
            after: attempt.lastPauses
        ) { count, isLate in
            // Somebody has signed in since the attempt began.
            isLate && wish?.end == nil ? backoff(count) : wish ?? backoff(count)
        }
        // Only this one fails, while others are sent.
        if entry.failures > max(1, failures) {
            entry.delay = backoff(entry.failures)
            delayed.insert(id)
        }
        entries[id] = entry
        return endAttempt(of: id)
    }

    mutating func endDelays() {
        pauses.endAll()
        for id in order { entries[id]?.endDelay() }
        delayed = []
    }

    /// Ends the pauses and delays of waiting commands, which are then sent first.
    mutating func endDelays(of ids: [UUID]) {
        let waiting = waiting
        let meant = Set(ids).intersection(waiting)
        guard !meant.isEmpty else { return }
        guard meant.count < waiting.count else { return endDelays() }
        var first: [String] = []
        for stored in waiting.filter(meant.contains).compactMap({ entries[$0]?.stored }) {
            pauses.endAll(of: stored.name)
            entries[stored.id]?.endDelay()
            delayed.remove(stored.id)
            noteDue(stored.key)
            if dueKeys.contains(stored.key), !first.contains(stored.key) { first.append(stored.key) }
        }
        let keys = Set(first)
        due = first + due.filter { !keys.contains($0) }
    }
}

// MARK: The next command

extension QueueState {
    private mutating func nextDue() -> QueueEntry? {
        let lastName = pauses.connection.isProbing ? pauses.lastName : nil
        let limit = lastName == nil ? limit : 1
        guard attempts.count < limit, !attempts.values.contains(where: \.isAlone) else { return nil }
        if lastName != nil, let entry = firstDue(where: { $0.stored.name != lastName && !$0.isInterrupted }) {
            return entry
        }
        if let entry = firstDue(where: { !$0.isInterrupted }) { return entry }
        // One that may end the process goes last, and alone.
        return attempts.isEmpty ? firstDue { _ in true } : nil
    }

    private mutating func firstDue(where isEligible: (QueueEntry) -> Bool) -> QueueEntry? {
        var kept: [String] = []
        defer { if !kept.isEmpty { due = kept + due } }
        while let key = due.popFirst() {
            guard let entry = firstToSend(of: key) else {
                // It comes back when that changes.
                dueKeys.remove(key)
                continue
            }
            if entry.delay == nil, !isPaused(entry.stored.name), isEligible(entry) {
                dueKeys.remove(key)
                return entry
            }
            kept.append(key)
        }
        return nil
    }

    /// Whether a name pauses, or another command of the name is sent to find out whether it can be sent again.
    private func isPaused(_ name: String) -> Bool {
        guard let failures = pauses.names[name] else { return false }
        return failures.pause != nil || failures.isProbing && attempts.values.contains { $0.name == name }
    }

    /// The first command of a key that has not failed, unless it waits for a failed one.
    private func firstToSend(of key: String) -> QueueEntry? {
        var hasFailed = false
        for id in keys[key] ?? [] {
            guard let entry = entries[id] else { continue }
            guard entry.failure != nil else { return hasFailed && entry.options.waitsForFailed ? nil : entry }
            hasFailed = true
        }
        return nil
    }

    private mutating func noteDue(_ key: String) {
        // One command of a key is sent at a time. The end of its attempt notes the key again.
        guard keys[key] != nil, !attempts.values.contains(where: { $0.key == key }) else { return }
        if dueKeys.insert(key).inserted { due.append(key) }
    }
}

extension [UUID] {
    /// Removes some identifiers, of which there is mostly one, near the beginning.
    fileprivate mutating func remove(_ ids: Set<UUID>) {
        guard ids.count == 1 else { return removeAll(where: ids.contains) }
        if let index = firstIndex(where: ids.contains) { remove(at: index) }
    }
}
