import HTTPTypes

extension StoredResponse {
    /// Without fields that hold secrets; nil when it was selected by one.
    func without(_ secrets: Set<HTTPField.Name>) -> StoredResponse? {
        let selects = selection.values.contains { selector in
            selector.value != nil && HTTPField.Name(selector.name).map(secrets.contains) ?? true
        }
        guard !selects else { return nil }
        guard response.headerFields.contains(where: { secrets.contains($0.name) }) else { return self }
        var head = response
        for name in secrets { head.headerFields[name] = nil }
        return replacing(response: head)
    }
}
