import DuetHTTP
public import HTTPTypes

extension CacheStatus: CustomStringConvertible {
    /// The member of the list in `Cache-Status` (RFC 9211, section 2; RFC 8941, section 4.1.1).
    public var description: String {
        var text = cache.structured
        // With room for what is mostly told, so that it does not grow bit by bit.
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

    /// Adds the member behind those of caches that are nearer to the origin (RFC 9211, section 2).
    public func append(to fields: inout HTTPFields) {
        fields.append(HTTPField(name: .cacheStatus, value: description))
    }
}

extension HTTPField.Name {
    /// How caches handled a request (RFC 9211).
    public static let cacheStatus = known("Cache-Status")
}

extension Int {
    /// Within the 15 digits that an Integer has.
    fileprivate var structured: String {
        String(Swift.min(Swift.max(Int64(self), -999_999_999_999_999), 999_999_999_999_999))
    }
}

extension String {
    /// A Token where it is one, and otherwise a String.
    fileprivate var structured: String {
        guard let first = utf8.first, first == UInt8(ascii: "*") || first.isLetter,
            utf8.allSatisfy({ FieldSyntax.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
        else { return structuredString }
        return self
    }

    /// A String, which holds visible ASCII and spaces only; another character becomes a question mark.
    fileprivate var structuredString: String {
        var text = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return text + "\""
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
