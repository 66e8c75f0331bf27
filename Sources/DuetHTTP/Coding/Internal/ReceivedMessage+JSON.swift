extension ReceivedMessage {
    /// Checks that the body says it is JSON in UTF-8, as RFC 8259, section 8.1, has it.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``.
    func checkJSON() throws {
        guard let contentType else { throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"]) }
        let parts = contentType.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed() }
            .map { String($0) }
        let type = parts[0]
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
        guard type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json"),
            charset.map({ $0 == "utf-8" || $0 == "\"utf-8\"" }) ?? true
        else { throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"]) }
    }
}
