import Duet
public import DuetDependencies
import FeedFeature
import FeedServing
import Foundation
import ServiceContextModule
import Synchronization

/// A message that was dispatched.
///
/// It contains nothing of the message except its name, and nothing of an error except its type, because both may hold
/// secrets.
struct MessageRecord {
    let number: Int
    let name: String
    let isCommand: Bool
    let date: Date
    let duration: Duration
    /// The type of the error, or nil.
    let failure: String?
    let traceID: String?
}

final class MessageLog: Sendable {
    private struct State {
        var records: [MessageRecord] = []
        var count = 0
    }

    let limit: Int
    private let state = Mutex(State())

    /// Creates a log that forgets the oldest messages beyond `limit`.
    init(limit: Int) {
        self.limit = limit
    }

    /// The messages, the newest first.
    var records: [MessageRecord] { state.withLock { $0.records.sorted { $0.number > $1.number } } }

    /// The number of all messages, including the forgotten ones.
    var count: Int { state.withLock(\.count) }

    func add(_ record: (_ number: Int) -> MessageRecord) {
        state.withLock { state in
            state.count += 1
            let record = record(state.count)
            if state.records.count < limit {
                state.records.append(record)
            } else {
                state.records[(state.count - 1) % limit] = record
            }
        }
    }
}

struct MessageRecording: Middleware {
    let log: MessageLog
    let now: CurrentDate
    let clock: any Clock<Duration>

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if next.isUpdate { return try await next.dispatch(message) }
        let date = now()
        let elapsed = clock.stopwatch()
        let record = { (failure: (any Error)?) in
            let duration = elapsed()
            log.add { number in
                MessageRecord(
                    number: number,
                    name: M.messageName,
                    isCommand: M.self is any Command.Type,
                    date: date,
                    duration: duration,
                    failure: failure.map { "\(type(of: $0))" },
                    traceID: ServiceContext.current?.traceParent?.traceID
                )
            }
        }
        do {
            let value = try await next.dispatch(message)
            record(nil)
            return value
        } catch {
            record(error)
            throw error
        }
    }
}

/// The registrations of the page that shows developers what the program is doing.
///
/// Install it before the client's module, because it records messages outside of the cache. `CurrentDate` and
/// `any Clock<Duration>` must be registered elsewhere.
public struct InspectModule: ContainerModule {
    private let messageLimit: Int

    /// Creates the module; the page shows at most `messageLimit` messages, the newest ones.
    public init(messageLimit: Int = 200) {
        self.messageLimit = messageLimit
    }

    /// Registers the log of messages and the middleware that fills it.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [messageLimit] in MessageLog(limit: messageLimit) }
        builder.middleware { (log: MessageLog, now: CurrentDate, clock: any Clock<Duration>) in
            MessageRecording(log: log, now: now, clock: clock)
        }
    }
}
