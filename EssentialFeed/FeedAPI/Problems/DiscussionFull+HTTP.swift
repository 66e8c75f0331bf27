public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension DiscussionFull: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:discussion-full" }

    /// 409.
    public var status: HTTPResponse.Status { .conflict }
}
