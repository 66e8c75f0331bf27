public import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension MessageAPI {
    /// The messages of the feed, for its servers and their clients.
    ///
    /// Reading is open to everybody; publishing requires ``Permission/publish``. Removing and correcting require it or
    /// ``Permission/moderate``, and the backend decides whose image it is. Anyone with a valid token can load its
    /// permissions. All commands that concern one image have its id as their key.
    public static let feed = MessageAPI(
        "feed",
        throwing: CommentRemoved.self,
        DuplicateImage.self,
        IDReused.self,
        IdempotencyKeyReused.self,
        ImageNotFound.self,
        ImageRemoved.self,
        InvalidMessage.self,
        TooManyComments.self
    ) {
        LoadFeed.authorized(.open)
        LoadNewestImage.authorized(.open)
        LoadRemovedImages.authorized(.open)
        SearchFeed.authorized(.open)
        LoadImageDetails.authorized(.open)
        LoadNeighbors.authorized(.open)
        LoadImageComments.authorized(.open)
        // A cluster carries small messages.
        LoadPublishedImageData.authorized(.open).not(over: .cluster)
        PostImageComment.authorized(.open).ordered(by: \.imageID)
        PublishImage.authorized(.permission(.publish)).ordered(by: \.id)
        RemoveImage.authorized(.permission(.publish, .moderate)).ordered(by: \.id)
        CorrectImage.authorized(.permission(.publish, .moderate)).ordered(by: \.id)
        RemoveImageComment.authorized(.permission(.publish, .moderate)).ordered(by: \.imageID)
        LoadPermissions.authorized(.principal)
    }

    /// The messages of the feed on a server.
    ///
    /// - Parameter closedComments: Whether posting a comment requires ``Permission/comment``.
    public static func feed(closedComments: Bool) -> MessageAPI {
        closedComments ? feed.authorizing(PostImageComment.self, .permission(.comment)) : feed
    }
}

extension HTTPSettings {
    /// The settings of the feed's servers and their clients.
    public static let feed = HTTPSettings(
        // The wire format defines only the status and the body, because some file servers label JSON as another type.
        acceptsAnyMediaType: true
    )
}

extension AuthorizationRule {
    /// Accepts principals with one of the permissions.
    fileprivate static func permission(_ permissions: Permission...) -> Self {
        .scope(anyOf: Set(permissions.map(\.rawValue)))
    }
}

extension CommentRemoved: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:comment-removed" }

    /// Status 410.
    public var status: HTTPResponse.Status { .gone }
}

extension DuplicateImage: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:duplicate-image" }

    /// Status 409.
    public var status: HTTPResponse.Status { .conflict }
}

extension IDReused: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:id-reused" }

    /// Status 409.
    public var status: HTTPResponse.Status { .conflict }
}

extension IdempotencyKeyReused: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:idempotency-key-reused" }

    /// Status 422.
    public var status: HTTPResponse.Status { .unprocessableContent }
}

extension ImageNotFound: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:image-not-found" }

    /// Status 404.
    public var status: HTTPResponse.Status { .notFound }
}

extension ImageRemoved: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:image-removed" }

    /// Status 410.
    public var status: HTTPResponse.Status { .gone }
}

extension InvalidMessage: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:invalid-message" }

    /// Status 400.
    public var status: HTTPResponse.Status { .badRequest }
}

extension TooManyComments: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:essential-feed:too-many-comments" }

    /// Status 429.
    public var status: HTTPResponse.Status { .tooManyRequests }
}
