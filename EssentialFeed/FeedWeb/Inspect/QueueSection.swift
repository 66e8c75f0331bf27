import DuetCaching
import Foundation

/// The commands that wait for the server.
struct QueueSection {
    struct Row {
        let id: UUID
        let name: MessageName
        let age: String
        let attempts: Int
        let state: String
        let reason: String?
        let isFailed: Bool
        let isSending: Bool

        init(_ command: QueuedCommand, now: Date) {
            func duration(to date: Date) -> String {
                InspectText.duration(.seconds(date.timeIntervalSince(now)))
            }
            id = command.id
            name = MessageName(command.name)
            age = InspectText.duration(.seconds(now.timeIntervalSince(command.date)))
            attempts = command.attempts
            isFailed = command.isFailed
            isSending = command.state == .sending
            switch command.state {
            case .waiting(let until, let reason):
                state = until.map { "waiting, next attempt in \(duration(to: $0))" } ?? "waiting"
                self.reason = reason
            case .blocked(let id): (state, reason) = ("waiting for the failed command \(id)", nil)
            case .handedOver: (state, reason) = ("sent by another program", nil)
            case .sending: (state, reason) = ("sending", nil)
            case .failed(let reason): (state, self.reason) = ("failed", reason)
            }
        }
    }

    let rows: [Row]

    init(_ commands: [QueuedCommand], now: Date) {
        rows = commands.map { Row($0, now: now) }
    }
}
