import Duet
import DuetHTTP
import Foundation

/// The administrator of a PocketBase.
struct Login: Sendable {
    let url: URL
    let email: String
    let password: String

    /// The guide's dispatcher to this PocketBase.
    func makeDispatcher(_ client: any HTTPClient) throws -> any Dispatcher {
        makeAPI(client, at: try BaseURL(url), email: email, password: password)
    }

    /// A new token.
    func token(with client: any HTTPClient) async throws -> String {
        try await HTTPDispatcher(baseURL: url, client: client)
            .dispatch(LoadToken(identity: email, password: password))
    }
}
