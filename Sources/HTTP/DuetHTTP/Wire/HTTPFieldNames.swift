import Duet
package import HTTPTypes

extension HTTPField.Name {
    /// Marks repeated requests as the same request (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")

    /// How long the client still waits for the response, in whole milliseconds.
    package static let requestTimeout = known("Request-Timeout")

    /// The last event that a client received (HTML standard, section 9.2.4).
    package static let lastEventID = known("Last-Event-ID")

    /// The version of a value in the cache of the server, or that a command has led to there.
    package static let version = known("Duet-Version")

    /// The groups of a response (RFC 9875).
    package static let cacheGroups = known("Cache-Groups")

    /// The groups that a response to an unsafe request makes stale (RFC 9875).
    package static let cacheGroupInvalidation = known("Cache-Group-Invalidation")

    /// The type of a problem whose content has another format than RFC 9457.
    package static let problem = known("Duet-Problem")

    /// The preferences of a client (RFC 7240).
    package static let prefer = known("Prefer")

    /// The preferences that the server has obeyed.
    package static let preferenceApplied = known("Preference-Applied")

    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is not a field name.") }
        return name
    }
}

extension HTTPFields {
    var version: CacheVersion? {
        get { self[.version].flatMap { CacheVersion($0) } }
        set { self[.version] = newValue?.text }
    }
}

extension Set<HTTPField.Name> {
    /// The fields that carry credentials in common use; parameters named `secrets` add those of an API.
    package static var sensitiveHeaderFields: Set<HTTPField.Name> { sensitiveNames }
}

private let sensitiveNames: Set<HTTPField.Name> = [
    .authorization, .cookie, .setCookie, .proxyAuthorization, .authenticationInfo, .proxyAuthenticationInfo,
    .known("Api-Key"), .known("X-Api-Key"), .known("X-Access-Token"), .known("X-Auth-Token"), .known("X-CSRF-Token"),
    .known("X-Amz-Security-Token"), .known("X-Goog-Api-Key"),
]

extension HTTPRequest.Method {
    /// The method, or `_OTHER` for an unknown one: a sender can use any, and metrics must not grow with them.
    package var knownName: String { knownMethods.contains(self) ? rawValue : "_OTHER" }
}

/// The methods of RFC 9110, section 9.3, and RFC 5789.
private let knownMethods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
]
