import Duet

/// The changes of an observed value which the dispatcher of an observer reports.
struct LiveReports<Value: Sendable>: Sendable {
    let id: Int
    let observer: Int
    /// The task that follows them; nil before it has begun.
    var task: Task<Void, Never>?
    /// Whether the changes are not reported at the moment.
    var isPaused = false
    /// Whether the value was loaded after the last change was reported, so that the next one may be older.
    var isBehind = false
    /// A reported value that may be older than the loaded one, which is why a load is running.
    var doubtful: Value?
    /// The version of the last value that was reported with one.
    private var version: CacheVersion?
    /// The version that commands have led to, and that is not reported yet.
    private var awaited: CacheVersion?
    /// The number of times that a version was awaited.
    private var waits = 0

    init(id: Int, observer: Int) {
        self.id = id
        self.observer = observer
    }

    /// Notes the end of a load, and returns the reported value that it could not replace.
    mutating func noteLoad(succeeded: Bool) -> Value? {
        if succeeded { awaited = nil }
        guard let doubtful else {
            if succeeded { isBehind = true }
            return nil
        }
        self.doubtful = nil
        return succeeded ? nil : doubtful
    }

    /// Whether the changes up to a version were reported.
    func hasReported(_ version: CacheVersion?) -> Bool {
        guard let version, !isPaused else { return false }
        return self.version?.includes(version) == true
    }

    /// Awaits a version instead of an earlier one.
    mutating func awaitLater(_ version: CacheVersion?) {
        guard let version, let awaited, version.includes(awaited) else { return }
        self.awaited = version
    }

    /// Begins to await a version.
    ///
    /// - Returns: The number of the wait, zero if the version replaces an earlier one, or nil if it is not known that
    ///   the cache of the version reports its changes here.
    mutating func beginWait(for version: CacheVersion) -> Int? {
        guard !isPaused, self.version?.cache == version.cache else { return nil }
        // Loaded before the command, so that the report is newer.
        isBehind = false
        doubtful = nil
        guard awaited?.cache != version.cache else {
            awaitLater(version)
            return 0
        }
        awaited = version
        waits += 1
        return waits
    }

    /// Ends a wait, and returns whether its version was not reported.
    mutating func endWait(_ number: Int) -> Bool {
        guard number == waits, awaited != nil else { return false }
        awaited = nil
        return true
    }

    /// Notes the version of a report, and returns whether the value lacks changes of commands that have ended.
    mutating func isEarly(_ version: CacheVersion?) -> Bool {
        if let version { self.version = version }
        guard let awaited else { return false }
        guard version?.includes(awaited) == true else { return true }
        self.awaited = nil
        return false
    }

    /// Whether a version is awaited that another one includes.
    func awaits(_ version: CacheVersion?) -> Bool { awaited.map { version?.includes($0) == true } ?? false }
}
