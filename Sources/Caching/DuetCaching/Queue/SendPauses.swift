import Duet
import Foundation

/// The pauses of a queue after temporary failures: one for the connection, and one for each name of a command.
struct SendPauses {
    /// A time in which nothing is sent.
    struct Pause {
        /// On the queue's clock; nil for a pause that lasts until somebody ends it.
        let end: Duration?
        /// The date of the end, to show it.
        let date: Date?
        let reason: String

        func hasEnded(at time: Duration) -> Bool { end.map { $0 <= time } ?? false }

        func later(_ other: Pause?) -> Pause {
            guard let other, let end else { return self }
            return other.end.map { $0 > end } ?? true ? other : self
        }
    }

    /// Failures without a success between them.
    struct Failures {
        var count = 0
        var pause: Pause?
        /// Whether one command at a time is sent, until there is a response.
        var isProbing = false
        /// Identifies the last pause, so that attempts that fail at the same time count once.
        var lastPause = 0

        mutating func add(_ pause: (_ count: Int, _ isLate: Bool) -> Pause, ofAttemptAfter lastPause: Int) {
            let isLate = lastPause != self.lastPause
            if !isLate { count += 1 }
            isProbing = true
            let pause = pause(count, isLate)
            guard let present = self.pause else { return begin(pause) }
            guard let end = present.end, pause.end.map({ $0 > end }) ?? true else { return }
            begin(pause)
        }

        private mutating func begin(_ pause: Pause) {
            self.pause = pause
            lastPause += 1
        }

        /// Ends the pause, after which one command at a time is sent.
        mutating func end() {
            count = 0
            pause = nil
            lastPause += 1
        }

        mutating func noteResponse() {
            count = 0
            isProbing = false
        }
    }

    private(set) var connection = Failures()
    private(set) var names: [String: Failures] = [:]
    /// The name of the command because of which the connection paused last.
    private(set) var lastName: String?

    var ends: [Duration] { [connection.pause?.end].compactMap(\.self) + names.values.compactMap { $0.pause?.end } }

    /// The last pauses, by which an attempt knows later which ones began during it.
    func lastPauses(for name: String) -> (connection: Int, name: Int) {
        (connection.lastPause, names[name]?.lastPause ?? 0)
    }

    /// Notes a temporary failure, and returns the number of those that count together.
    mutating func noteFailure(
        of name: String,
        isConnection: Bool,
        after lastPauses: (connection: Int, name: Int),
        _ pause: (_ count: Int, _ isLate: Bool) -> Pause
    ) -> Int {
        guard isConnection else {
            names[name, default: Failures()].add(pause, ofAttemptAfter: lastPauses.name)
            return names[name]?.count ?? 0
        }
        connection.add(pause, ofAttemptAfter: lastPauses.connection)
        lastName = name
        return connection.count
    }

    mutating func noteResponse(to name: String) {
        connection.noteResponse()
        names[name]?.noteResponse()
    }

    mutating func end(at time: Duration) {
        if connection.pause?.hasEnded(at: time) == true { connection.pause = nil }
        for (name, failures) in names where failures.pause?.hasEnded(at: time) == true { names[name]?.pause = nil }
    }

    mutating func endAll() {
        connection.end()
        for name in names.keys { names[name]?.end() }
    }

    /// Ends the pauses of the connection and of one name.
    mutating func endAll(of name: String) {
        connection.end()
        names[name]?.end()
    }
}
