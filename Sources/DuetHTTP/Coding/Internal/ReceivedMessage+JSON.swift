extension ReceivedMessage {
    /// Checks that the body says it is JSON in UTF-8.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``.
    func checkJSON() throws {
        // What most senders say is not taken apart.
        guard contentType == "application/json" || MediaType(contentType)?.isJSONInUTF8 == true else {
            throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"])
        }
    }
}
