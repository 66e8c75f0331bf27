import Duet

/// The changes of an observed value which the dispatcher of an observer reports.
struct LiveReports<Value: Sendable>: Sendable {
    let id: Int
    let observer: Int
    /// The task that follows them; nil before it has begun.
    var task: Task<Void, Never>?
    /// Whether the changes are not reported now.
    var isPaused = false
    /// The place of the last report in the order of loads and values, or of the beginning.
    var lastArrival: Int
    /// The version that was reported last.
    var version: CacheVersion?
    /// A reported value that may be older than the loaded one, and is shown if the load fails that is to replace it.
    var unconfirmed: Arrival<Value>?

    init(id: Int, observer: Int, began number: Int) {
        self.id = id
        self.observer = observer
        lastArrival = number
    }
}
