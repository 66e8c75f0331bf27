import Duet
public import DuetHTTP
public import FeedFeature
import HTTPTypes

/// `GET v1/permissions`, with `{"permissions": ["publish"]}`.
extension LoadPermissions: HTTPQuery {
    /// The permissions on the wire.
    public struct Payload: Codable, Sendable {
        let permissions: [String]
    }

    /// The route below the API's base; the response depends on the token, so nobody may store it.
    public static let route: QueryRoute<Self> = .get("v1/permissions").responseHeaders([.cacheControl: "no-store"])

    /// Returns the permissions that this version knows.
    public static func value(from payload: Payload, answering query: LoadPermissions) throws -> Set<Permission> {
        Set(payload.permissions.compactMap(Permission.init))
    }

    /// Returns the names of the permissions, in alphabetical order.
    public static func payload(from permissions: Set<Permission>, answering query: LoadPermissions) -> Payload {
        Payload(permissions: permissions.map(\.rawValue).sorted())
    }
}
