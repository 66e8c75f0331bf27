extension StringProtocol {
    /// Whether it is a token as the scheme `Bearer` writes them: a `b64token` of RFC 6750, section 2.1.
    package var isBearerToken: Bool {
        let rest = utf8.drop {
            PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return rest.startIndex != utf8.startIndex && rest.allSatisfy { $0 == UInt8(ascii: "=") }
    }
}
