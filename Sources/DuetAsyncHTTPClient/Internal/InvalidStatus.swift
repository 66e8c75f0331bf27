/// An answer whose status is no status: RFC 9110, section 15, has three digits.
package struct InvalidStatus: Error, CustomStringConvertible {
    let status: String

    package var description: String { "the answer is not valid HTTP (status \(status.prefix(20)))" }
}
