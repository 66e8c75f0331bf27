import Duet
import DuetMacros
import FeedFeature

@Resolvable
struct LoadPermissionsHandler: QueryHandler {
    func handle(_ query: LoadPermissions) async throws -> Set<Permission> {
        guard let principal = Principal.current else { throw AuthorizationError.unauthenticated }
        return Set(principal.scopes.compactMap(Permission.init))
    }
}
