package import HTTPTypes

extension HTTPField.Name {
    /// Marks several sendings of a request as one and the same (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")

    /// How long the sender still waits for the answer, in whole milliseconds.
    package static let requestTimeout = known("Request-Timeout")

    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is no name of a field.") }
        return name
    }
}
