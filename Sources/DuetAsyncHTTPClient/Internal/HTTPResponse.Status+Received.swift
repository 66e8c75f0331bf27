package import HTTPTypes

extension HTTPResponse.Status {
    /// A status as a server sent it: over HTTP/2 any number arrives, and HTTPTypes traps on those that are none.
    package init(received code: UInt, reasonPhrase: String) throws(InvalidStatus) {
        guard (100...999).contains(code) else { throw InvalidStatus(status: "\(code)") }
        self.init(code: Int(code), reasonPhrase: reasonPhrase)
    }
}
