import DuetHTTPCaching
import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// What proxies go by in `Via` of answers.
    static let pseudonym = "feed"

    /// The fields of a head or a trailer section as they arrived, each a line of its own.
    ///
    /// NIO reads values as UTF-8: a byte that is none is U+FFFD from there on, and goes on as that.
    ///
    /// - Parameter left: In lower case, what is left out.
    init(_ headers: HTTPHeaders, without left: String? = nil) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            // The parser lets no name through that is not one.
            guard let name = HTTPField.Name(name), name.canonicalName != left else { continue }
            append(HTTPField(name: name, value: value))
        }
    }

    /// Without the fields that are about one connection (RFC 9110, section 7.6.1), among them those that `Connection` names.
    var forwarded: HTTPFields { forwarded(keeping: []) }

    /// The same of an answer; what decides about caching stays, which is never about one connection.
    ///
    /// So does a cookie: without it an answer would look as if it were for everybody.
    var forwardedAnswer: HTTPFields { forwarded(keeping: Self.ofAnswers) }

    private func forwarded(keeping kept: Set<String>) -> HTTPFields {
        var dropped = Self.hopByHop
        for value in self[values: .connection] {
            let options = value.split(separator: ",").map { $0.trimmingSpaces.lowercased() }
            dropped.formUnion(options.filter { !kept.contains($0) })
        }
        // Mostly there are none.
        guard contains(where: { dropped.contains($0.name.canonicalName) }) else { return self }
        return HTTPFields(filter { !dropped.contains($0.name.canonicalName) })
    }

    /// Adds this proxy to those that a message came through (RFC 9110, section 7.6.3).
    mutating func appendVia(_ version: HTTPVersion, by pseudonym: String = pseudonym) {
        let number = version == .http1_1 ? "1.1" : "\(version.major).\(version.minor)"
        append(HTTPField(name: .via, value: number + " " + pseudonym))
    }

    /// Whether a message has come through the proxy that goes by this name.
    func cameThrough(_ pseudonym: String) -> Bool {
        self[values: .via].contains { value in
            value.split(separator: ",").contains { $0.split(separator: " ").dropFirst().first == pseudonym[...] }
        }
    }

    private static let ofAnswers = Set(HTTPCachePolicy.decisiveFields.map(\.canonicalName) + ["set-cookie"])

    private static let hopByHop = Set(HTTPCachePolicy.connectionFields.map(\.canonicalName))
}

extension Substring {
    /// Without spaces and tabs at its ends.
    var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
