public import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension HTTPAPI {
    /// The messages of the feed: what the backend mounts, and what a client checks itself against.
    ///
    /// Reading is open to everybody; publishing and removing images ask for ``Permission/publish``.
    ///
    /// - Parameters:
    ///   - closedComments: Whether posting a comment asks for ``Permission/comment``, and is not open to everybody.
    ///   - publishStatus: Which status a server answers with when an image is published; nil for 201 always.
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public static func feed(
        closedComments: Bool = false,
        publishStatus: HTTPEndpoint.SuccessStatus<PublishImage>? = nil
    ) throws(InvalidHTTPAPI) -> HTTPAPI {
        let problems: [any HTTPProblem.Type] = [
            DiscussionFull.self, ImageNotFound.self, ImageRemoved.self, InvalidMessage.self,
        ]
        return try HTTPAPI(HTTPSettings(problems: problems)) {
            HTTPEndpoint(LoadFeed.self, authorize: .open)
            HTTPEndpoint(LoadImageComments.self, authorize: .open)
            HTTPEndpoint(LoadPublishedImageData.self, authorize: .open)
            HTTPEndpoint(PostImageComment.self, authorize: closedComments ? .permission(.comment) : .open)
            HTTPEndpoint(PublishImage.self, authorize: .permission(.publish), successStatus: publishStatus)
            HTTPEndpoint(RemoveImage.self, authorize: .permission(.publish))
        }
    }
}

extension HTTPEndpoint {
    /// Says which status a server answers a command with, asked before the command is handled.
    public typealias SuccessStatus<C: HTTPCommand> =
        @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status
}

extension AuthorizationRule {
    fileprivate static func permission(_ permission: Permission) -> Self { .scope(permission.rawValue) }
}
