import DuetHTTP
public import HTTPTypes
import RawStructuredFieldValues

/// How a cache handled a request, as in the field `Cache-Status` (RFC 9211).
///
/// The field is written as `Duet; hit; ttl=376` or `Duet; fwd=stale; fwd-status=304; ttl=600; stored`.
///
/// ```swift
/// let (response, _) = try await cache.data(for: request)
/// print(response.headerFields[.cacheStatus] ?? "no cache")  // Duet; hit; ttl=60
/// print(response.cacheStatus?.isFromCache == true)  // true
/// ```
public struct CacheStatus: Sendable, Hashable {
    package var cache: String

    /// Whether the response came from the cache without a request to the origin.
    public var hit: Bool

    /// Why the request went to the origin.
    public var forward: ForwardReason?

    /// The status code of the origin's response; nil if the client got the same.
    package var forwardStatus: Int?

    /// The number of seconds for which the response stays fresh; negative if it is stale.
    package var ttl: Int?

    /// Whether the origin's response is stored, or is being stored while its body arrives.
    package var stored: Bool

    /// Whether the request waited for another one with the same response.
    package var collapsed: Bool

    /// The key of the cache lookup.
    ///
    /// A ``CachingHTTPClient`` does not report its own, which may hold secrets.
    package var key: String?

    /// Further details; a ``CachingHTTPClient`` reports why the response was not stored, or why the
    /// origin's was not used.
    package var detail: String?

    /// Creates a status; the field omits parameters that are nil or false.
    package init(
        cache: String = "Duet",
        hit: Bool = false,
        forward: ForwardReason? = nil,
        forwardStatus: Int? = nil,
        ttl: Int? = nil,
        stored: Bool = false,
        collapsed: Bool = false,
        key: String? = nil,
        detail: String? = nil
    ) {
        self.cache = cache
        self.hit = hit
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.ttl = ttl
        self.stored = stored
        self.collapsed = collapsed
        self.key = key
        self.detail = detail
    }
}

extension CacheStatus {
    /// Whether the response had been stored before the request.
    ///
    /// That is true of a hit, of a response that the origin has just confirmed (`fwd-status=304`), and of a stale
    /// response in place of a failed origin.
    public var isFromCache: Bool {
        hit || forwardStatus == 304 || detail == Self.originFailed
    }

    /// Why a ``CachingHTTPClient`` did not store the origin's response; nil if it did, or if the origin did not
    /// respond.
    public var notStored: NotStored? {
        guard !hit, !stored else { return nil }
        // `fwd=method` means by itself that nothing is stored.
        return detail.flatMap(NotStored.init(rawValue:)) ?? (forward == .method ? .method : nil)
    }

    static let onlyIfCached = "only-if-cached"
    package static let originFailed = "origin-failed"
}

extension HTTPField.Name {
    /// The field in which caches report how they handled a request (RFC 9211).
    public static let cacheStatus = known("Cache-Status")
}

extension HTTPResponse {
    /// How the cache nearest to the client handled the request (RFC 9211); nil if there was none.
    ///
    /// This is the last member of `Cache-Status`, which a ``CachingHTTPClient`` adds to each response.
    public var cacheStatus: CacheStatus? {
        headerFields[values: .cacheStatus].last.flatMap { CacheStatus(lastOf: $0) }
    }
}

extension CacheStatus {
    /// Parses the last member of a line of `Cache-Status` (RFC 9211, section 2).
    ///
    /// Fails for an invalid line. Unknown parameters, and known ones of another type, are ignored.
    init?(lastOf line: String) {
        guard let member = FieldList.members(of: line).last else { return nil }
        var parser = StructuredFieldValueParser(Array(member))
        guard let item = try? parser.parseItemFieldValue() else { return nil }
        switch item.rfc9651BareItem {
        case .string(let name), .token(let name): self.init(cache: name)
        default: return nil
        }
        for (name, value) in item.rfc9651Parameters {
            switch (name, value) {
            case ("hit", .bool(let flag)): hit = flag
            case ("stored", .bool(let flag)): stored = flag
            case ("collapsed", .bool(let flag)): collapsed = flag
            case ("fwd", .token(let reason)): forward = ForwardReason(rawValue: reason)
            case ("fwd-status", .integer(let status)): forwardStatus = Int(exactly: status)
            case ("ttl", .integer(let seconds)): ttl = Int(exactly: seconds)
            case ("key", .string(let text)): key = text
            case ("detail", .string(let text)), ("detail", .token(let text)): detail = text
            default: break
            }
        }
    }
}

extension CacheStatus: CustomStringConvertible {
    /// The member of the list in `Cache-Status` (RFC 9211, section 2; RFC 8941, section 4.1.1).
    public var description: String {
        var text = cache.structured
        // The usual size, so that the string does not grow repeatedly.
        text.reserveCapacity(64)
        func add(_ parameter: String, _ value: String? = nil) {
            text += parameter
            if let value { text += value }
        }
        if hit { add("; hit") }
        if let forward { add("; fwd=", forward.rawValue) }
        if let forwardStatus { add("; fwd-status=", forwardStatus.structured) }
        if let ttl { add("; ttl=", ttl.structured) }
        if stored { add("; stored") }
        if collapsed { add("; collapsed") }
        if let key { add("; key=", key.structuredString) }
        if let detail { add("; detail=", detail.structured) }
        return text
    }

    /// Appends the member to `Cache-Status`, after those of caches nearer to the origin (RFC 9211, section 2).
    package func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: description))
    }
}

extension Int {
    /// An Integer, which has at most 15 digits.
    fileprivate var structured: String {
        String(Swift.min(Swift.max(Int64(self), -999_999_999_999_999), 999_999_999_999_999))
    }
}

extension String {
    /// A Token if the text is one, and otherwise a String.
    fileprivate var structured: String {
        guard let first = utf8.first,
            first == UInt8(ascii: "*") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20),
            utf8.allSatisfy({ FieldSyntax.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
        else { return structuredString }
        return self
    }

    /// A String, which holds only visible ASCII and spaces; any other character becomes a question mark.
    fileprivate var structuredString: String {
        var text = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return text + "\""
    }
}
