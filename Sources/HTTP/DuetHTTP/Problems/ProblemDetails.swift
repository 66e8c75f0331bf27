import DuetContext
import Foundation

/// The description of a problem that a server sends (RFC 9457), with all its members.
public struct ProblemDetails: Hashable, Sendable {
    /// The URI reference that identifies the type of problem; `about:blank` if there is none.
    public var type: String

    /// A summary of the type of problem, for people.
    public var title: String?

    /// The status that the server's program set.
    public var status: Int?

    /// An explanation of this occurrence, for people.
    public var detail: String?

    /// The URI reference that identifies this occurrence.
    public var instance: String?

    /// All other members, by their names.
    public var extensions: [String: JSONValue]

    /// Creates a problem, by default of the type `about:blank`.
    package init(
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

extension ProblemDetails: Codable {
    /// The members that RFC 9457 defines, whose names no extension may have.
    package static let ownMembers: Set<String> = ["type", "title", "status", "detail", "instance"]

    /// The media type of a problem (RFC 9457, section 3).
    package static let mediaType = "application/problem+json"

    /// The largest body that is decoded as a problem, in bytes.
    package static let maximumSize = 64 * 1024

    /// Decodes a problem, ignoring members with a value of the wrong type (RFC 9457, section 3.1).
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: WireKey.self)
        type = (try? members.decode(String.self, forKey: WireKey("type"))) ?? "about:blank"
        title = try? members.decode(String.self, forKey: WireKey("title"))
        status = try? members.decode(Int.self, forKey: WireKey("status"))
        detail = try? members.decode(String.self, forKey: WireKey("detail"))
        instance = try? members.decode(String.self, forKey: WireKey("instance"))
        extensions = [:]
        for member in members.allKeys where !Self.ownMembers.contains(member.stringValue) {
            extensions[member.stringValue] = try? members.decode(JSONValue.self, forKey: member)
        }
    }

    /// Encodes the problem with its extensions, which never replace its own members.
    ///
    /// - Throws: `EncodingError` for infinity and NaN.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: WireKey.self)
        for (name, value) in extensions where !Self.ownMembers.contains(name) {
            try members.encode(value, forKey: WireKey(name))
        }
        try members.encode(type, forKey: WireKey("type"))
        try members.encodeIfPresent(title, forKey: WireKey("title"))
        try members.encodeIfPresent(status, forKey: WireKey("status"))
        try members.encodeIfPresent(detail, forKey: WireKey("detail"))
        try members.encodeIfPresent(instance, forKey: WireKey("instance"))
    }

    /// Decodes the body of a response; nil if it is not a problem, or is larger than ``maximumSize``.
    init?(mediaType: String?, body: Data) {
        guard body.count <= Self.maximumSize, MediaType(mediaType)?.essence == Self.mediaType,
            ForeignText.fault(inJSON: body) == nil,
            let problem = try? JSONDecoder().decode(ProblemDetails.self, from: body)
        else { return nil }
        self = problem
    }
}
