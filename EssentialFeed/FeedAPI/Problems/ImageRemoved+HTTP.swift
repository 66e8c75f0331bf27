public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension ImageRemoved: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:image-removed" }

    /// 410.
    public var status: HTTPResponse.Status { .gone }
}
