public import Duet

/// Loads the permissions that the server grants to the sender.
///
/// An unknown sender is refused with `AuthorizationError.unauthenticated`.
public struct LoadPermissions: Query, Hashable, Codable {
    /// The granted permissions.
    public typealias Value = Set<Permission>

    /// Creates the query.
    public init() {}
}
