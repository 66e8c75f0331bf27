import Duet
public import DuetHTTP
public import FeedFeature

/// `DELETE v1/image/{id}`, with status 204.
extension RemoveImage: HTTPCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// `DELETE`.
    public static var method: CommandMethod { .delete }
}
