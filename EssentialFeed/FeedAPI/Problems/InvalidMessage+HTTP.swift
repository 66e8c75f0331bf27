public import DuetHTTP
public import FeedFeature
public import HTTPTypes

extension InvalidMessage: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:essential-feed:invalid-message" }

    /// 400.
    public var status: HTTPResponse.Status { .badRequest }
}
