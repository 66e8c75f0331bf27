import DuetHTTP
import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Synchronization

/// A small backend that records its requests, and holds responses back until a test opens a gate.
final class ServerStub: HTTPClient {
    fileprivate struct State {
        var feed: [FeedImage] = []
        var comments: [String: [String]] = [:]
        var images: [String: Data] = [:]
        var isDown = false
        var requests: [String] = []
        var holds: [(request: String, gate: Gate)] = []
    }

    private let state = Mutex(State())

    /// Opens when a request that was held back is canceled.
    let cancellation = Gate()

    /// The method and path of each request, in order.
    var requests: [String] { state.withLock(\.requests) }

    /// Replaces the feed.
    func serve(_ feed: FeedImage...) { serve(feed) }

    /// Replaces the feed.
    func serve(_ feed: [FeedImage]) { state.withLock { $0.feed = feed } }

    /// Replaces the bytes at an image's URL.
    func serve(_ data: Data, for url: URL) { state.withLock { $0.images[url.path] = data } }

    /// Fails each request, or no longer.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Returns a gate that the response to the next request whose line begins like this has to pass.
    func hold(_ request: String) -> Gate {
        let gate = Gate()
        state.withLock { $0.holds.append((request, gate)) }
        return gate
    }

    /// The number of requests whose line begins like this.
    func count(_ request: String) -> Int { requests.count { $0.hasPrefix(request) } }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let path = request.path ?? ""
        let line = "\(request.method) \(path)"
        let (gate, response) = state.withLock { state in
            state.requests.append(line)
            let index = state.holds.firstIndex { line.hasPrefix($0.request) }
            // The response is that of the moment of the request, however late it arrives.
            return (index.map { state.holds.remove(at: $0).gate }, Result { try state.response(request.method, path) })
        }
        do {
            try await gate?.pass()
        } catch {
            cancellation.open()
            throw error
        }
        let (status, data) = try response.get()
        return (HTTPResponse(status: status), HTTPBody(data))
    }
}

extension ServerStub.State {
    fileprivate mutating func response(_ method: HTTPRequest.Method, _ path: String) throws
        -> (HTTPResponse.Status, Data)
    {
        if isDown { throw Fault("down") }
        let parts = path.split(separator: "/")
        switch method {
        case .get where path.hasPrefix("/v1/feed/search"): return (.ok, Data(results(path).utf8))
        case .get where path.hasPrefix("/v1/feed"): return (.ok, Data(page(path).utf8))
        case .get where path.hasSuffix("/neighbors"):
            let neighbors = ImageNeighbors(of: UUID(uuidString: "\(parts[2])") ?? UUID(), in: feed.map(\.id))
            return (.ok, try JSONEncoder().encode(neighbors))
        case .get where path.contains("/comments"): return (.ok, Data(discussion(path).utf8))
        case .get: return (.ok, images[String(path.prefix { $0 != "?" })] ?? Data())
        case .post:
            comments[path, default: []].append("comment")
            return (.created, Data())
        case .put: return (.created, Data())
        case .delete:
            feed.removeAll { $0.id.uuidString == parts.last.map(String.init) }
            return (.noContent, Data())
        default: return (.notFound, Data())
        }
    }

    private func page(_ path: String) -> String {
        var images = feed[...]
        if let after = path.split(separator: "after_id=").dropFirst().first?.prefix(36) {
            images = images.drop { $0.id.uuidString != after }.dropFirst()
        }
        let limit = path.split(separator: "limit=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 10
        let items = images.prefix(limit).map { image in
            let versions = image.versions.map { #"{"width":\#($0.width),"image":"\#($0.url.absoluteString)"}"# }
            return """
                {"id":"\(image.id)","image":"\(image.url.absoluteString)","versions":[\(versions.joined(separator: ","))]}
                """
        }
        return #"{"items":[\#(items.joined(separator: ","))]}"#
    }

    /// All images, whatever the search, each with its number of comments.
    private func results(_ path: String) -> String {
        let items = feed.map { image in
            let count = comments["/v1/image/\(image.id)/comments"]?.count ?? 0
            return #"{"id":"\#(image.id)","image":"\#(image.url.absoluteString)","comment_count":\#(count)}"#
        }
        return #"{"items":[\#(items.joined(separator: ","))]}"#
    }

    private func discussion(_ path: String) -> String {
        let items = (comments[String(path.prefix { $0 != "?" })] ?? []).map { message in
            """
            {"id":"\(UUID.fixture(1))","message":"\(message)","created_at":"2020-05-20T11:24:59Z",
            "author":{"username":"me"}}
            """
        }
        return #"{"items":[\#(items.joined(separator: ","))]}"#
    }
}
