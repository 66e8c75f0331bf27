import NIOCore
import ServiceContextModule
import Synchronization

/// Whether the client at the other end of a connection is still there.
final class ClientPresence: Sendable {
    /// Has a client that waits for it told to go on sending (RFC 9110, section 15.2.1).
    struct Invitation {}

    private struct State {
        var isGone = false
        var nextID = 0
        /// What handles a message may itself ask this server for something.
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    private let channel: any Channel

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Runs `action` when the client goes, at once if it has gone; what is returned is for ``forget(_:)``.
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

    /// Drops an action: what it would have ended has ended.
    func forget(_ id: Int) {
        state.withLock { $0.actions[id] = nil }
    }

    func leave() {
        let actions = state.withLock { state in
            state.isGone = true
            defer { state.actions = [:] }
            return state.actions.values
        }
        for action in actions { action() }
    }

    /// Tells the client that its body is wanted.
    func invite() {
        channel.triggerUserOutboundEvent(Invitation(), promise: nil)
    }
}

extension ServiceContext {
    /// The client whose request this task answers; nil when the server does not watch its connections.
    var clientPresence: ClientPresence? {
        get { self[ClientPresenceKey.self] }
        set { self[ClientPresenceKey.self] = newValue }
    }
}

private enum ClientPresenceKey: ServiceContextKey {
    typealias Value = ClientPresence
}
