/// An answer whose status is no status: RFC 9110, section 15, has three digits.
package struct InvalidStatus: Error, CustomStringConvertible {
    let code: UInt

    package var description: String { "the answer is not valid HTTP (status \(code))" }
}
