public import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension HTTPAPI {
    /// Returns the API of the feed, which the backend mounts and a client uses.
    ///
    /// Reading is open to everybody; publishing and removing images require ``Permission/publish``. Anyone with a valid
    /// token can load its permissions.
    ///
    /// - Parameters:
    ///   - closedComments: Whether posting a comment requires ``Permission/comment``.
    ///   - publishStatus: The status of the response to a published image; nil for 201 always.
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public static func feed(
        closedComments: Bool = false,
        publishStatus: HTTPEndpoint.SuccessStatus<PublishImage>? = nil
    ) throws(InvalidHTTPAPI) -> HTTPAPI {
        let problems: [any HTTPProblem.Type] = [
            DiscussionFull.self, IdempotencyKeyReused.self, ImageNotFound.self, ImageRemoved.self, InvalidMessage.self,
        ]
        // The wire format defines only the status and the body, because some file servers label JSON as another type.
        return try HTTPAPI(HTTPSettings(acceptsAnyMediaType: true, problems: problems)) {
            HTTPEndpoint(LoadFeed.self, authorize: .open)
            HTTPEndpoint(LoadNewestImage.self, authorize: .open)
            HTTPEndpoint(LoadRemovedImages.self, authorize: .open)
            HTTPEndpoint(SearchFeed.self, authorize: .open)
            HTTPEndpoint(LoadImageComments.self, authorize: .open)
            HTTPEndpoint(LoadPublishedImageData.self, authorize: .open)
            HTTPEndpoint(PostImageComment.self, authorize: closedComments ? .permission(.comment) : .open)
            HTTPEndpoint(PublishImage.self, authorize: .permission(.publish), successStatus: publishStatus)
            HTTPEndpoint(RemoveImage.self, authorize: .permission(.publish))
            HTTPEndpoint(LoadPermissions.self, authorize: .principal)
        }
    }
}

extension HTTPEndpoint {
    /// Returns the status of the response to a command, before the command is handled.
    public typealias SuccessStatus<C: HTTPCommand> =
        @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status
}

extension AuthorizationRule {
    fileprivate static func permission(_ permission: Permission) -> Self { .scope(permission.rawValue) }
}

extension DiscussionFull: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:discussion-full" }

    /// Status 409.
    public var status: HTTPResponse.Status { .conflict }
}

extension IdempotencyKeyReused: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:idempotency-key-reused" }

    /// Status 422.
    public var status: HTTPResponse.Status { .unprocessableContent }
}

extension ImageNotFound: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:image-not-found" }

    /// Status 404.
    public var status: HTTPResponse.Status { .notFound }
}

extension ImageRemoved: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:image-removed" }

    /// Status 410.
    public var status: HTTPResponse.Status { .gone }
}

extension InvalidMessage: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:invalid-message" }

    /// Status 400.
    public var status: HTTPResponse.Status { .badRequest }
}
