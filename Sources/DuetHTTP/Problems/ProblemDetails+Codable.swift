import Foundation

extension ProblemDetails: Codable {
    /// The members that RFC 9457 gives a meaning to; no extension may be called like one of them.
    package static let ownMembers: Set<String> = ["type", "title", "status", "detail", "instance"]

    /// What a problem is sent as (RFC 9457, section 3).
    package static let mediaType = "application/problem+json"

    /// The largest body of an answer that is read as a problem, in bytes.
    package static let maximumSize = 64 * 1024

    /// Reads a problem; a member of a type that it must not be of is passed over (RFC 9457, section 3.1).
    ///
    /// - Throws: `DecodingError` when it is no JSON object.
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

    /// Writes the problem, its extensions beside its own members, which no extension replaces.
    ///
    /// - Throws: `EncodingError` for a number that is infinite or none.
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

    /// The problem that an answer tells of, or nil when it tells of none, or at more length than is read.
    init?(mediaType: String?, body: Data) {
        guard body.count <= Self.maximumSize, MediaType(mediaType)?.essence == Self.mediaType,
            let problem = try? JSONDecoder().decode(ProblemDetails.self, from: body)
        else { return nil }
        self = problem
    }
}
