import DuetHTTP
package import HTTPTypes

/// How a stored part becomes the whole (RFC 9111, section 3.4).
package struct Completion: Sendable, Hashable {
    package let stored: StoredResponse
    /// The bytes that are asked for; to the largest number when the length of the whole is not known.
    package let missing: Range<Int64>
    /// Asks for them if the representation is still the same, and otherwise for all of the new one.
    package let request: HTTPRequest

    init(stored: StoredResponse, missing: Range<Int64>, request: HTTPRequest) {
        self.stored = stored
        self.missing = missing
        var request = request
        for name in Validation.conditions { request.headerFields[name] = nil }
        let last = missing.lowerBound < stored.content.range.lowerBound ? "\(missing.upperBound - 1)" : ""
        request.headerFields[.range] = "bytes=\(missing.lowerBound)-\(last)"
        request.headerFields[fields: .ifRange] = stored.fields.entityTag.map { [$0.field(.ifRange)] } ?? []
        self.request = request
    }
}
