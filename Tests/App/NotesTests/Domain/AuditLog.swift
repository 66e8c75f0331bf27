import Duet
import DuetContext

/// A list of the commands that were sent: by whom, and whether they failed.
protocol AuditTrail: Sendable {
    func record(_ line: String) async
}

actor InMemoryAuditTrail: AuditTrail {
    private(set) var lines: [String] = []

    func record(_ line: String) { lines.append(line) }
}

/// Records every command with the principal that it is handled for.
struct AuditLog: Middleware {
    let trail: any AuditTrail

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        guard M.self is any Command.Type else { return try await next.dispatch(message) }
        let line = "\(Principal.current?.id ?? "nobody"): \(M.messageName)"
        do {
            let value = try await next.dispatch(message)
            await trail.record(line)
            return value
        } catch {
            await trail.record("\(line) failed")
            throw error
        }
    }
}
