import Duet
import Foundation

/// A command of a queue that was neither removed nor dropped.
struct QueueEntry {
    /// The command as it is in the store, as far as the queue knows.
    var stored: StoredCommand
    /// Whether the queue has found the command when it read the store for the first time.
    let isOfEarlierLaunch: Bool
    /// The decoded command; nil if it has failed before this launch or cannot be read.
    private(set) var command: (any Command)?
    let options: EnqueueOptions
    /// Why the command is not sent; nil if it is.
    private(set) var failure: String?
    /// The error of the last attempt in this launch.
    private(set) var error: (any Error)?
    /// The number of temporary failures since the launch or the last retry, which determines the next delay.
    private(set) var failures = 0
    /// The time in which only this command is not sent.
    var delay: SendPauses.Pause?
    /// The changes that followers show.
    var shown: [any ShownCommand] = []
    /// The age of the command at a time of the queue's clock, so that the age grows with that clock only.
    private let age: (Duration, at: Duration)

    /// - Parameters:
    ///   - isOfEarlierLaunch: Whether the queue reads the store for the first time.
    ///   - rule: The rule of the command; nil if the program has none.
    ///   - date: The current date. A command from the future is new.
    init(
        found stored: StoredCommand,
        isOfEarlierLaunch: Bool,
        by rule: QueueRule?,
        at date: Date,
        _ time: Duration
    ) {
        self.stored = stored
        self.isOfEarlierLaunch = isOfEarlierLaunch
        options = rule?.options ?? EnqueueOptions()
        age = (.seconds(max(0, date.timeIntervalSince(stored.date))), time)
        failure = stored.failure
        read(by: rule)
    }

    /// Creates the entry of a command that was dispatched here.
    init(_ stored: StoredCommand, _ command: any Command, _ options: EnqueueOptions, at time: Duration) {
        self.stored = stored
        self.command = command
        self.options = options
        isOfEarlierLaunch = false
        age = (.zero, time)
    }

    var id: UUID { stored.id }

    /// The caller of the dispatch, for whom the command is sent and shown.
    var caller: Caller { Caller(principal: stored.principal, isServed: stored.isServed) }

    /// Decodes the command, or notes why that is not possible.
    mutating func read(by rule: QueueRule?) {
        guard command == nil, failure == nil else { return }
        do {
            guard let rule else {
                throw UnreadableCommand(reason: "this program has no Enqueue rule for \(stored.name)")
            }
            command = try rule.decode(stored)
        } catch {
            failure = "\(error)"
        }
    }

    /// Whether the process has ended during the last attempt, so that it may end again.
    var isInterrupted: Bool { stored.interruptions > 0 }

    func send(through dispatcher: any Dispatcher) async throws {
        guard let command else { throw UnreadableCommand(reason: "its rule is missing") }
        let use = DataUse(.command(command))
        for follower in shown { follower.noteAttempt(use, isRunning: true) }
        defer {
            use.end()
            for follower in shown { follower.noteAttempt(use, isRunning: false) }
        }
        try await use.run { try await dispatcher.dispatch(command) }
    }

    private var expiry: CommandExpired? { options.lifetime.map { CommandExpired(name: stored.name, age: $0) } }

    private func hasExpired(at time: Duration) -> Bool {
        guard let lifetime = options.lifetime, !stored.isRetried else { return false }
        return age.0 + (time - age.at) >= lifetime
    }

    /// Why the command is not sent at a time, although it has not failed.
    func refusal(at time: Duration) -> (any Error)? {
        if hasExpired(at: time) { return expiry }
        return stored.interruptions >= AttemptsInterrupted.limit ? AttemptsInterrupted(name: stored.name) : nil
    }

    /// - Parameter error: The error in this queue; nil if the command has failed in another one.
    mutating func fail(because reason: String, _ error: (any Error)? = nil) {
        failure = reason
        self.error = error
        shown = []
    }

    /// Lets the command fail once it has expired, or wait again: a clock may have been wrong.
    mutating func updateExpiry(at time: Duration, by rule: QueueRule?) {
        guard let expiry else { return }
        switch (failure, hasExpired(at: time)) {
        case (nil, true): fail(because: "\(expiry)")
        case ("\(expiry)", false): failure = nil
        default: return
        }
        stored.failure = failure
        read(by: rule)
    }

    /// Lets a failed command be sent again, whatever its age.
    mutating func restart(by rule: QueueRule?) {
        (failure, error, failures) = (nil, nil, 0)
        stored.failure = nil
        stored.isRetried = true
        read(by: rule)
    }

    mutating func noteTemporaryFailure(_ error: any Error) {
        self.error = error
        failures += 1
    }

    mutating func endDelay() {
        failures = 0
        delay = nil
    }
}

/// The number of attempts that have ended, and a million for each of the last ones that have not, because the process
/// ended during them.
///
/// Both are one number in a store, so that programs of all versions can use its files.
extension StoredCommand {
    private static var interruption: Int { 1_000_000 }

    var endedAttempts: Int { attempts % Self.interruption }

    var interruptions: Int { attempts / Self.interruption }

    mutating func noteBeginOfAttempt() { attempts += Self.interruption }

    mutating func noteEndOfAttempt() { attempts = min(endedAttempts + interruptions, Self.interruption - 1) }
}
