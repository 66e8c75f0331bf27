import Duet

/// Shows what the commands of a queue change, and carries out their rules, as a cache in front of the queue does.
protocol QueueFollower: AnyObject, Sendable {
    /// Shows the changes of a command that waits, for the caller of the current task.
    func show(_ command: any Command) -> any ShownCommand

    /// Carries out the rules of a command that was sent before the queue had a follower.
    func noteSent(_ command: any Command)
}

/// A command whose changes a follower shows until it ends.
protocol ShownCommand: Sendable {
    var command: any Command { get }

    /// The follower; nil if it is gone.
    var follower: (any QueueFollower)? { get }

    /// Notes that the command is being sent, and may commit something before it ends, or has ended.
    func noteAttempt(_ use: DataUse, isRunning: Bool)

    /// Carries out the rules of the command.
    func end(_ end: CommandEnd) async
}

/// How a queued command has ended, as far as this process knows.
enum CommandEnd {
    /// This queue has sent it, which has led to a version.
    case sent(CacheVersion?)

    /// It has failed or was dropped, but an attempt may have done its work.
    case failed

    /// Another queue has sent or dropped it.
    case gone

    /// The queue did not accept it.
    case refused
}
