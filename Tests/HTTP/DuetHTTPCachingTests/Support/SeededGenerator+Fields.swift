import DuetTesting

extension SeededGenerator {
    /// A field value of a hostile or careless server: pieces of real fields, mixed with random bytes.
    mutating func fieldValue(pieces: Int = 12) -> String {
        (0..<Int.random(in: 0...pieces, using: &self)).map { _ in
            Bool.random(using: &self)
                ? Self.fragments.randomElement(using: &self) ?? ""
                : String(UnicodeScalar(UInt8.random(in: 0...255, using: &self)))
        }.joined()
    }

    private static let fragments = [
        "max-age", "no-cache", "private", "no-store", "must-revalidate", "stale-if-error", "=", ",",
        ";",
        "\"", "\\", " ", "\t", "0", "1", "-1", "9223372036854775808", "18446744073709551616", "3600.5", "W/", "\"abc\"",
        "*",
        "-", "/", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Sun Nov  6 08:49:37 1994", "hit",
        "fwd=stale",
        "(", ")", "?1", ":YQ==:", "@1", "%\"a\"", "é", "\u{1F600}",
    ]
}
