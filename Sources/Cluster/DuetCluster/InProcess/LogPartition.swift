import DuetClusterEngine

/// The commands of one partition in order, and the state of the first one.
struct LogPartition {
    struct Entry {
        let command: LoggedCommand
        let position: LogPosition
        var attempts = 0
        /// The processors of the attempts that do not count.
        var skippers: [Int] = []

        /// The last attempt.
        var delivery: Delivery {
            Delivery(command: command, position: position, attempt: attempts, skipped: skippers.count)
        }
    }

    enum Phase {
        /// The first command, if there is one, can be delivered.
        case ready
        /// The first command is being handled.
        case running(delivery: Int, processor: Int, task: Task<Void, Never>)
        /// The first command waits for another attempt.
        case paused(delivery: Int)
    }

    let index: Int
    private(set) var handled: UInt64 = 0
    private(set) var last: UInt64 = 0
    private var entries = FIFOQueue<Entry>()
    var phase = Phase.ready

    init(_ index: Int) {
        self.index = index
    }

    var next: Entry? {
        guard case .ready = phase else { return nil }
        return entries.first
    }

    /// The number of undelivered commands.
    var waiting: Int { entries.count - (isDelivered ? 1 : 0) }

    var isDelivered: Bool { deliveries > 0 }

    var isRedelivered: Bool { deliveries > 1 }

    private var deliveries: Int { entries.first.map { $0.attempts + $0.skippers.count } ?? 0 }

    mutating func append(_ command: LoggedCommand) -> LogPosition {
        last += 1
        let position = LogPosition(partition: index, sequence: last)
        entries.append(Entry(command: command, position: position))
        return position
    }

    /// Counts an attempt of the first command, and returns its delivery.
    mutating func deliver() -> Delivery? {
        entries.updateFirst { $0.attempts += 1 }
        return entries.first?.delivery
    }

    /// Counts the last attempt of the first command among those that do not count.
    mutating func skip(by processor: Int) {
        entries.updateFirst { entry in
            entry.attempts -= 1
            entry.skippers.append(processor)
        }
    }

    mutating func finish() -> Entry? {
        phase = .ready
        guard let entry = entries.popFirst() else { return nil }
        handled = entry.position.sequence
        return entry
    }
}

/// The positions and outcomes of the commands that were added lately.
struct RecentCommands {
    private struct Entry {
        var position: LogPosition
        var outcomes: [LogPosition: Envelope] = [:]
    }

    private var entries: [String: Entry] = [:]
    private var order = FIFOQueue<(id: String, time: Duration)>()

    /// The time for which a command is remembered.
    static var window: Duration { .seconds(600) }

    mutating func position(of id: String, at time: Duration) -> LogPosition? {
        while let first = order.first, time - first.time > Self.window {
            entries[first.id] = nil
            _ = order.popFirst()
        }
        return entries[id]?.position
    }

    /// The outcome of a command, as long as it is remembered.
    subscript(outcomeOf id: String, at position: LogPosition) -> Envelope? {
        get { entries[id]?.outcomes[position] }
        set { entries[id]?.outcomes[position] = newValue }
    }

    mutating func insert(_ id: String, _ position: LogPosition, at time: Duration) {
        entries[id] = Entry(position: position)
        order.append((id, time))
    }

    /// Notes that a command was added again, unless it is forgotten.
    mutating func move(_ id: String, to position: LogPosition) { entries[id]?.position = position }
}
