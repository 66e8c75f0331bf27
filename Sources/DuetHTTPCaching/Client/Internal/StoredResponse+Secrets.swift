import HTTPTypes

extension StoredResponse {
    /// Without fields that hold secrets; nil when it was selected by one.
    var withoutSecrets: StoredResponse? {
        guard !selection.values.contains(where: { Self.secretNames.contains($0.name) && $0.value != nil }) else {
            return nil
        }
        guard Self.secrets.contains(where: response.headerFields.contains) else { return self }
        var head = response
        for name in Self.secrets { head.headerFields[name] = nil }
        return replacing(response: head)
    }

    /// In requests; a response has none of the first two in good order.
    private static let secretNames: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    private static let secrets: [HTTPField.Name] = [
        .setCookie, .authorization, .cookie, .proxyAuthorization, .authenticationInfo,
    ]
}
