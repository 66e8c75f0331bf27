extension ReceivedMessage {
    /// Checks that there is a body and that it says it is JSON in UTF-8.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``, or that the body is empty.
    func checkJSON() throws {
        // What most senders say is not taken apart, and what is not there need not say what it is.
        guard
            contentType == "application/json" || MediaType(contentType)?.isJSONInUTF8 == true
                || contentType == nil && body.isEmpty
        else { throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"]) }
        guard !body.isEmpty else { throw HTTPMessageError.invalid(field: "body", reason: "is empty") }
    }
}
