public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension DiscussionFull: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:discussion-full" }

    /// Status 409.
    public var status: HTTPResponse.Status { .conflict }
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
