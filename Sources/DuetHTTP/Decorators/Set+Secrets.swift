public import HTTPTypes

extension Set<HTTPField.Name> {
    /// The sensitive header fields that are in common use.
    ///
    /// Logs do not show their values, redirects do not send them to another origin, and caches do not write them to
    /// durable stores. Parameters named `secrets` add the sensitive fields of an API.
    public static var secrets: Set<HTTPField.Name> { commonSecrets }
}

private let commonSecrets: Set<HTTPField.Name> = [
    .authorization, .cookie, .setCookie, .proxyAuthorization, .authenticationInfo, .proxyAuthenticationInfo,
    .known("Api-Key"), .known("X-Api-Key"), .known("X-Access-Token"), .known("X-Auth-Token"), .known("X-CSRF-Token"),
    .known("X-Amz-Security-Token"), .known("X-Goog-Api-Key"),
]
