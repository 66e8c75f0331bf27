import Duet
import FeedAPI
import FeedFeature
import Foundation

/// Sends messages to the server for one person, with the person's token if there is one.
///
/// The token is sent with commands and with the query about itself only. Everyone may read the rest, so a token that
/// was revoked does not keep its reader from anything.
struct SenderDispatcher: Dispatcher {
    private let anonymous: RemoteDispatcher
    private let server: Result<RemoteDispatcher, ExposedToken>

    /// Creates a dispatcher; if the way to `remote` would expose the token, each dispatch throws `ExposedToken`.
    ///
    /// - Parameter remote: The address that receives the token; nil if nobody does.
    init(_ server: RemoteDispatcher, at remote: URL?, sender: SenderToken) {
        anonymous = server
        self.server = Result { () throws(ExposedToken) in
            guard let token = sender.text else { return server }
            if let remote { try Credentials(token: token).check(sendingTo: remote) }
            return server.authenticated(by: token)
        }
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard message is any Command || message is LoadPermissions else {
            return try await anonymous.dispatch(message)
        }
        return try await server.get().dispatch(message)
    }
}
