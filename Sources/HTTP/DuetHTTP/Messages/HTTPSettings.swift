public import HTTPTypes

/// Settings that apply to all messages of an API unless a message overrides them.
///
/// ```swift
/// let settings = HTTPSettings(
///     coding: HTTPCoding(keys: .snakeCase, dates: .millisecondsSince1970),
///     parameterNames: ["perPage": "limit"],
///     headers: [.userAgent: "todos/1"],
///     acceptedStatuses: 200...299,
///     acceptsAnyMediaType: false
/// )
/// ```
public struct HTTPSettings: Sendable {
    package var coding: HTTPCoding
    package var parameterNames: [String: String]
    package var headers: HTTPFields
    package var acceptedStatuses: Set<Int>
    package var acceptsAnyMediaType: Bool
    package var maximumUnpackedBody: Int

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - coding: The representation of keys and dates.
    ///   - parameterNames: Wire names of properties, by coding key.
    ///
    ///     Names that a message sets itself take precedence.
    ///   - headers: Header fields of every request.
    ///   - acceptedStatuses: The statuses that mean success.
    ///   - acceptsAnyMediaType: Whether a client reads a successful response whatever its `Content-Type` says;
    ///     otherwise JSON must be labeled as JSON.
    ///   - maximumUnpackedBody: The largest number of bytes of a response that arrives compressed, after it was
    ///     unpacked.
    ///
    ///     Clients ask for uncompressed responses, but what a server stores with gzip or deflate (RFC 9110, section
    ///     8.4.1) may arrive so. Above 1 MiB, it may also not grow more than a hundredfold.
    public init(
        coding: HTTPCoding = HTTPCoding(),
        parameterNames: [String: String] = [:],
        headers: HTTPFields = [:],
        acceptedStatuses: some Collection<Int> = 200...299,
        acceptsAnyMediaType: Bool = false,
        maximumUnpackedBody: Int = 16 * 1024 * 1024
    ) {
        self.coding = coding
        self.parameterNames = parameterNames
        self.headers = headers
        self.acceptedStatuses = Set(acceptedStatuses)
        self.acceptsAnyMediaType = acceptsAnyMediaType
        self.maximumUnpackedBody = maximumUnpackedBody
    }
}
