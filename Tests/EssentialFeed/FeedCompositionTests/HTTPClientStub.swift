import DuetHTTP
import FeedFeature
import Foundation
import HTTPTypes
import Logging

/// A client that returns the same feed for every request.
struct HTTPClientStub: HTTPClient {
    private let body: Data

    init(feed: [FeedImage]) {
        let items = feed.map { #"{"id":"\#($0.id)","image":"\#($0.url.absoluteString)"}"# }
        body = Data(#"{"items":[\#(items.joined(separator: ","))]}"#.utf8)
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        (HTTPResponse(status: .ok), HTTPBody(self.body))
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
