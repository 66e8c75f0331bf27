public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension ImageNotFound: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:image-not-found" }

    /// 404.
    public var status: HTTPResponse.Status { .notFound }
}
