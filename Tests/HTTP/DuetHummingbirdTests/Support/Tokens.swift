import Duet
import DuetContext

/// Tokens for tests; `broken` cannot be checked.
struct Tokens: TokenAuthenticator {
    struct Unreachable: Error {}

    func principal(bearing token: String) async throws -> Principal? {
        switch token {
        case "reader": Principal(id: "reader", scopes: ["notes:read"])
        case "editor": Principal(id: "editor", scopes: ["notes:read", "notes:remove"])
        case "broken": throw Unreachable()
        default: nil
        }
    }
}
