import DuetHTTP
import Foundation
import FuzzTesting
import HTTPTypes

/// The client that follows redirects: it sends credentials to no other origin, and ends.
enum RedirectTarget {
    static func read(_ input: [UInt8]) async -> FuzzVerdict {
        let location = String(decoding: input, as: UTF8.self)
        guard HTTPField.isValidValue(location) else { return .elsewhere }
        let client = RedirectingClient(location: location)
        var request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/a/b?c=d")
        request.headerFields[.authorization] = "Bearer secret"
        do {
            _ = try await client.followingRedirects(atMost: 2).data(for: request)
            return .fault("The redirects ended")
        } catch let fault as RedirectingClient.Fault {
            return .fault("It was followed: \(fault)")
        } catch is HTTPClientError {
            return .fine
        } catch {
            return .fault("It was \(type(of: error)): \(error)")
        }
    }
}

/// Responds to each request with the same redirect.
private struct RedirectingClient: HTTPClient {
    struct Fault: Error { let request: HTTPRequest }

    let location: String

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let origin = HTTPOrigin(HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/"))
        let isWeb = ["http", "https"].contains(request.scheme?.lowercased())
        let isSafe = HTTPOrigin(request) == origin || request.headerFields[.authorization] == nil
        guard isWeb, isSafe else { throw Fault(request: request) }
        return (HTTPResponse(status: .found, headerFields: [.location: location]), HTTPBody(Data()))
    }
}
