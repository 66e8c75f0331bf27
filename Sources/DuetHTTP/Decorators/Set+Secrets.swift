public import HTTPTypes

extension Set<HTTPField.Name> {
    /// The fields that commonly carry credentials: no log shows their values, and no redirect takes them to another origin.
    ///
    /// Where `secrets` can be given, the fields of an API of its own are taken besides these.
    public static var secrets: Set<HTTPField.Name> { commonSecrets }
}

private let commonSecrets: Set<HTTPField.Name> = [
    .authorization, .cookie, .setCookie, .proxyAuthorization, .authenticationInfo, .proxyAuthenticationInfo,
    .known("Api-Key"), .known("X-Api-Key"), .known("X-Access-Token"), .known("X-Auth-Token"), .known("X-CSRF-Token"),
    .known("X-Amz-Security-Token"), .known("X-Goog-Api-Key"),
]
