import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// What proxies go by in `Via`.
    static let pseudonym = "feed"

    /// The fields of a head or a trailer section as they arrived, each a line of its own.
    init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            // The parser lets no name through that is not one.
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }

    /// Without the fields that are about one connection (RFC 9110, section 7.6.1), among them those that `Connection` names.
    var forwarded: HTTPFields {
        var dropped = Self.hopByHop
        for value in self[values: .connection] {
            for option in value.split(separator: ",") { dropped.insert(option.trimmingSpaces.lowercased()) }
        }
        return HTTPFields(filter { !dropped.contains($0.name.canonicalName) })
    }

    /// Adds this proxy to those that a message came through (RFC 9110, section 7.6.3).
    mutating func appendVia(_ version: HTTPVersion) {
        append(HTTPField(name: .via, value: "\(version.major).\(version.minor) \(Self.pseudonym)"))
    }

    /// How often a message has come through such a proxy.
    var passages: Int {
        self[values: .via].reduce(0) { count, value in
            count
                + value.split(separator: ",").count {
                    $0.split(separator: " ").dropFirst().first == Self.pseudonym[...]
                }
        }
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}

extension Substring {
    /// Without spaces and tabs at its ends.
    var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
