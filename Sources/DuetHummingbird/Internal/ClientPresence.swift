import NIOCore
import ServiceContextModule
import Synchronization

/// Whether the client at the other end of a connection is still there.
final class ClientPresence: Sendable {
    private struct State {
        var isGone = false
        /// A connection answers one request at a time, so that one action is enough.
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `action` when the client goes, at once if it has gone.
    func whenGone(_ action: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.isGone { state.action = action }
            return state.isGone
        }
        if isGone { action() }
    }

    /// Drops the action: the request has been answered.
    func forget() {
        state.withLock { $0.action = nil }
    }

    fileprivate func leave() {
        let action = state.withLock { state in
            state.isGone = true
            return state.action.take()
        }
        action?()
    }

    /// Watches a connection.
    final class Watch: ChannelInboundHandler {
        typealias InboundIn = NIOAny

        private let presence: ClientPresence

        init(_ presence: ClientPresence) {
            self.presence = presence
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            // A client that closes its connection, and one that only says that it sends nothing more, look the same.
            if event as? ChannelEvent == .inputClosed { presence.leave() }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            presence.leave()
            context.fireChannelInactive()
        }
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
