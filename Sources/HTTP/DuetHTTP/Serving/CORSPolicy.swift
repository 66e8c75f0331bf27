public import HTTPTypes

/// A policy for the web pages of other origins that use an API from a browser (the Fetch standard, section 3.3).
public struct CORSPolicy: Sendable {
    package var origins: Set<String>
    package var requestHeaders: [HTTPField.Name]
    package var responseHeaders: [HTTPField.Name]
    package var allowsCredentials: Bool
    package var maximumAge: Duration

    /// Creates a policy for the pages of these origins.
    ///
    /// - Parameters:
    ///   - origins: The origins of the pages, each exactly as a browser sends it.
    ///
    ///     An example is `https://example.org`. An origin includes its port unless it is the default port of its
    ///     scheme.
    ///   - requestHeaders: The fields of a request that a page may set, in addition to those that it always may. Nil
    ///     for the fields that Duet's clients send, and event sources that use fetch.
    ///   - responseHeaders: The fields of a response that a page may read, in addition to those that it always may. Nil
    ///     for the fields that Duet's servers send.
    ///   - allowsCredentials: Whether requests from these pages may contain cookies.
    ///   - maximumAge: How long a browser may cache the response to a preflight request.
    public init(
        origins: Set<String>,
        requestHeaders: [HTTPField.Name]? = nil,
        responseHeaders: [HTTPField.Name]? = nil,
        allowsCredentials: Bool = false,
        maximumAge: Duration = .seconds(600)
    ) {
        self.origins = origins
        self.requestHeaders =
            requestHeaders ?? [
                .authorization, .cacheControl, .contentType, .idempotencyKey, .ifNoneMatch, .lastEventID, .prefer,
                .requestTimeout,
            ]
        self.responseHeaders =
            responseHeaders ?? [
                .acceptRanges, .contentLocation, .contentRange, .eTag, .location, .preferenceApplied, .problem,
                .retryAfter, .wwwAuthenticate,
            ]
        self.allowsCredentials = allowsCredentials
        self.maximumAge = maximumAge
    }
}

/// The response fields of a policy, formatted once.
package struct CORSFields: Sendable {
    private let policy: CORSPolicy
    private let requestHeaders: String
    private let responseHeaders: String
    private let maximumAge: String

    /// - Parameter credentials: Fields of the API that contain credentials.
    init(_ policy: CORSPolicy, credentials: [HTTPField.Name]) {
        self.policy = policy
        requestHeaders = (policy.requestHeaders + credentials).map(\.rawName).joined(separator: ", ")
        responseHeaders = policy.responseHeaders.map(\.rawName).joined(separator: ", ")
        maximumAge = "\(policy.maximumAge.components.seconds)"
    }

    /// Adds the fields to a response, and the allowed methods to the response to a preflight request.
    package func add(to fields: inout HTTPFields, for request: HTTPRequest, methods: [HTTPRequest.Method] = []) {
        // Also without an origin: a cache must not return this response to a page that sends one.
        fields.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = request.headerFields[.origin], policy.origins.contains(origin) else { return }
        fields[.accessControlAllowOrigin] = origin
        if policy.allowsCredentials { fields[.accessControlAllowCredentials] = "true" }
        if request.preflightMethod != nil {
            fields[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
            fields[.accessControlAllowHeaders] = requestHeaders
            fields[.accessControlMaxAge] = maximumAge
        } else {
            fields[.accessControlExposeHeaders] = responseHeaders
        }
    }
}

extension HTTPRequest {
    /// The method that a preflight request asks for, or nil for any other request.
    package var preflightMethod: HTTPRequest.Method? {
        guard method == .options else { return nil }
        return headerFields[.accessControlRequestMethod].flatMap { HTTPRequest.Method($0) }
    }
}

extension CORSPolicy {
    var faults: [String] {
        let age = maximumAge < .zero ? ["The maximum age of the CORS policy must not be negative."] : []
        return age + originFaults
    }

    private var originFaults: [String] {
        origins.sorted().filter { !Self.isOrigin($0) }.map { origin in
            """
            “\(origin)” is not an origin: write each as a browser sends it, like https://example.org or \
            http://localhost:8080.
            """
        }
    }

    /// Whether a text is a scheme and a host in lowercase, with or without a port (RFC 6454, section 6.2).
    private static func isOrigin(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
        let host = text[colon...].dropFirst(3)
        return colon != text.startIndex && !host.isEmpty && text == text.lowercased()
            && text.allSatisfy { $0.isASCII && !$0.isWhitespace } && !host.contains { "/?#@*,".contains($0) }
    }
}
