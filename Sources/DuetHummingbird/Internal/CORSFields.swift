import HTTPTypes
import Hummingbird

/// The fields of a policy, written once.
struct CORSFields: Sendable {
    private let policy: CORSPolicy
    private let requestHeaders: String
    private let responseHeaders: String
    private let maximumAge: String

    init(_ policy: CORSPolicy) {
        self.policy = policy
        requestHeaders = policy.requestHeaders.map(\.rawName).joined(separator: ", ")
        responseHeaders = policy.responseHeaders.map(\.rawName).joined(separator: ", ")
        maximumAge = "\(policy.maximumAge.components.seconds)"
    }

    /// Says in an answer which pages may read it; to a preflight, with what methods too.
    func add(to response: inout Response, for request: Request, methods: [HTTPRequest.Method] = []) {
        // Even an answer to a request without an origin: a cache must not give it to a page that sends one.
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = request.headers[.origin], policy.origins.contains(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        if policy.allowsCredentials { response.headers[.accessControlAllowCredentials] = "true" }
        if request.preflightMethod != nil {
            response.headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
            response.headers[.accessControlAllowHeaders] = requestHeaders
            response.headers[.accessControlMaxAge] = maximumAge
        } else {
            response.headers[.accessControlExposeHeaders] = responseHeaders
        }
    }
}

extension Request {
    /// The method that a browser asks about before it sends a page's request; nil when this is no such question.
    var preflightMethod: HTTPRequest.Method? {
        guard method == .options else { return nil }
        return headers[.accessControlRequestMethod].flatMap { HTTPRequest.Method($0) }
    }
}

extension HTTPFields {
    /// Takes over what another answer says to pages of other origins.
    mutating func addCORS(of other: HTTPFields) {
        for field in other where field.name == .vary || field.name.canonicalName.hasPrefix("access-control-") {
            append(field)
        }
    }
}

extension CORSPolicy {
    var faults: [String] {
        let age = maximumAge < .zero ? ["What a browser is allowed cannot be remembered for less than no time."] : []
        return age + originFaults
    }

    private var originFaults: [String] {
        origins.sorted().filter { !Self.isOrigin($0) }.map { origin in
            "“\(origin)” is no origin: write each as a browser sends it, like https://example.org or http://localhost:8080."
        }
    }

    /// Whether it is a scheme and a host, both in lower case, with a port or none (RFC 6454, section 6.2).
    private static func isOrigin(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
        let host = text[colon...].dropFirst(3)
        return colon != text.startIndex && !host.isEmpty && text == text.lowercased()
            && text.allSatisfy { $0.isASCII && !$0.isWhitespace } && !host.contains { "/?#@*,".contains($0) }
    }
}
