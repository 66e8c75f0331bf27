extension StringProtocol {
    /// Whether it is a token as the scheme `Bearer` writes them: a `b64token` of RFC 6750, section 2.1.
    package var isBearerToken: Bool {
        let rest = utf8.drop { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return rest.startIndex != utf8.startIndex && rest.allSatisfy { $0 == UInt8(ascii: "=") }
    }
}
