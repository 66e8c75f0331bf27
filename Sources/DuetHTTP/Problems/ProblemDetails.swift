/// What a server says went wrong (RFC 9457), with everything it says besides.
public struct ProblemDetails: Hashable, Sendable {
    /// The URI reference that identifies the kind of problem; `about:blank` when there is none.
    public var type: String

    /// What kind of problem it is, for a person.
    public var title: String?

    /// The status, as the server's program set it.
    public var status: Int?

    /// What went wrong here, for a person.
    public var detail: String?

    /// The URI reference that identifies this occurrence.
    public var instance: String?

    /// All other members, by their names.
    public var extensions: [String: JSONValue]

    /// Makes a problem of its parts.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }
}
