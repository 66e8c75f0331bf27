package import HTTPTypes

extension HTTPField.Name {
    /// Marks repeated requests as the same request (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")

    /// How long the client still waits for the response, in whole milliseconds.
    package static let requestTimeout = known("Request-Timeout")

    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is not a field name.") }
        return name
    }
}
