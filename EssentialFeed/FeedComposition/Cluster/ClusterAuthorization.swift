import Duet
import DuetHTTP
import FeedAPI
import FeedBackend
import FeedFeature
import HTTPTypes

/// Applies the authorization rules of the API to messages that come through a cluster.
///
/// The principal comes with the message: the nodes of a cluster trust each other, and a page asks for the holder of a
/// reader's token before it sends a message. A message that the API does not have is refused, except that question.
struct ClusterAuthorization: Middleware {
    let api: HTTPAPI

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if !(M.self is LoadTokenHolder.Type), let status = try await api.refusal(of: message) {
            throw status == .unauthorized ? AccessDenied.unknownSender : AccessDenied.notPermitted
        }
        return try await next.dispatch(message)
    }
}
