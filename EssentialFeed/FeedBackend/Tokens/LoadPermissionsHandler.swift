import Duet
import DuetContext
import DuetMacros
import FeedFeature

/// Returns the permissions of the token that came with the query.
@Resolvable
struct LoadPermissionsHandler: QueryHandler {
    func handle(_ query: LoadPermissions) async throws -> Set<Permission> {
        guard let principal = Principal.current else { throw AuthorizationError.unauthenticated }
        return Set(principal.scopes.compactMap(Permission.init))
    }
}
