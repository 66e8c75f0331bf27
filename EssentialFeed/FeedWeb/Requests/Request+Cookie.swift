import HTTPTypes
package import Hummingbird

extension Request {
    /// The size of the largest value of a cookie that the pages read, in bytes.
    private static let cookieLimit = 2_048

    /// Returns the value of the first cookie with a name (RFC 6265, section 5.4); nil without one, or for a long value.
    ///
    /// Names and values are compared as bytes: anyone can send any text as a cookie.
    package func cookie(_ name: String) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8) else { continue }
                let value = pair.dropFirst(name.utf8.count)
                guard value.first == UInt8(ascii: "=") else { continue }
                return value.count <= Self.cookieLimit ? String(decoding: value.dropFirst(), as: UTF8.self) : nil
            }
        }
        return nil
    }
}
