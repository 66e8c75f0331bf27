import DuetHTTP
import NIOCore
package import ServiceContextModule
import Synchronization

final class ClientPresence: ServedConnection {
    /// An event that makes the connection respond with 100 to a client that waits for it (RFC 9110, section 15.2.1).
    struct Invitation {}

    private struct State {
        var isGone = false
        var nextID = 0
        /// Several, because the handler of a message may itself send requests to this server.
        var actions: [Int: @Sendable () -> Void] = [:]
        /// The task that responds to the requests of the connection; nil if it cannot be canceled.
        var task: Task<Void, Never>?
        /// The number of messages that are handled, several for the same reason.
        var messages = 0
    }

    private let state = Mutex(State())
    private let channel: any Channel

    /// The memory for the bodies of all requests of the server.
    let bodyMemory: BodyMemory

    /// The address of the client, or of the proxy in front of it, also after it has disconnected.
    let address: String?

    init(_ channel: any Channel, _ bodyMemory: BodyMemory) {
        self.channel = channel
        // A channel forgets the address when the client disconnects.
        address = channel.remoteAddress?.ipAddress
        self.bodyMemory = bodyMemory
    }

    func whenGone(_ action: @escaping @Sendable () -> Void) -> Int? {
        let id: Int? = state.withLock { state in
            guard !state.isGone else { return nil }
            state.nextID += 1
            state.actions[state.nextID] = action
            return state.nextID
        }
        if id == nil { action() }
        return id
    }

    func forget(_ id: Int) {
        state.withLock { $0.actions[id] = nil }
    }

    /// Responds to the requests of the connection in a task that a disconnected client cancels while a message is
    /// handled.
    func respond(_ operation: @escaping @Sendable () async -> Void) async {
        let task = state.withLock { state in
            let task = Task { await operation() }
            state.task = task
            return task
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.task = nil }
    }

    func beginMessage() -> Bool {
        state.withLock { state in
            // The end of an earlier response may still be on its way.
            guard state.task != nil, !state.isGone else { return false }
            state.messages += 1
            return true
        }
    }

    func endMessage() {
        state.withLock { $0.messages -= 1 }
    }

    func leave() {
        let (actions, task) = state.withLock { state in
            state.isGone = true
            defer { state.actions = [:] }
            return (state.actions.values, state.messages > 0 ? state.task : nil)
        }
        task?.cancel()
        for action in actions { action() }
    }

    /// Waits until the connection has taken everything that was written to it.
    ///
    /// A writer waits while the client is behind, which the connection knows only when it has taken earlier bytes.
    func waitForWrites() async {
        // Fails only when the connection's loop has ended, and the next write fails, too.
        try? await channel.eventLoop.submit {}.get()
    }

    /// Asks the client to send its body.
    func invite() {
        channel.triggerUserOutboundEvent(Invitation(), promise: nil)
    }
}

extension ServiceContext {
    /// The client that this task responds to, or nil if the server does not watch its connections.
    var clientPresence: ClientPresence? {
        get { self[ClientPresenceKey.self] }
        set { self[ClientPresenceKey.self] = newValue }
    }

    package var clientAddress: String? { clientPresence?.address }
}

private enum ClientPresenceKey: ServiceContextKey {
    typealias Value = ClientPresence
}
