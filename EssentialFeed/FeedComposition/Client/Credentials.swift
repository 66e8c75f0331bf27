import Foundation

/// A token for the backend, and how it may travel.
public struct Credentials: Sendable {
    /// The token, as `feed token` printed it.
    let token: String

    private let allowsPlainHTTP: Bool

    /// Makes credentials of a token.
    ///
    /// - Parameter allowsPlainHTTP: Whether the token may go to another machine over `http`, where it can be read on the way.
    public init(token: String, allowsPlainHTTP: Bool = false) {
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Checks that nobody on the way to the backend can read the token.
    ///
    /// - Throws: ``ExposedToken``.
    func check(sendingTo remote: URL) throws(ExposedToken) {
        guard remote.scheme?.lowercased() != "https", !allowsPlainHTTP else { return }
        let host = remote.host(percentEncoded: true)?.lowercased() ?? ""
        guard host.isThisMachine else { throw ExposedToken(host: host) }
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// Not the token: it must not get into a log by accident.
    public var description: String { "Credentials" }

    /// Nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A token would have gone to another machine in the clear.
public struct ExposedToken: Error, Hashable {
    /// The machine.
    public let host: String
}

extension ExposedToken: CustomStringConvertible {
    /// What was not done and what to do about it.
    public var description: String {
        "The token was not sent to \(host): over http it can be read on the way. Use https, or say that it may go over http."
    }
}
