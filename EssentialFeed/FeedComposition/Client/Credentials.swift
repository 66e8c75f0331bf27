import FeedFeature
import Foundation

/// A token for the backend, and the rules for sending it.
public struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// The token, as printed by `feed token create`.
    let token: String

    private let allowsPlainHTTP: Bool

    /// Creates credentials with a token.
    ///
    /// - Parameter allowsPlainHTTP: Whether the token may be sent to another machine over `http`, where others can read
    ///   it.
    public init(token: String, allowsPlainHTTP: Bool = false) {
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Checks that no one between this machine and the backend can read the token.
    ///
    /// - Throws: `ExposedToken`.
    func check(sendingTo remote: URL) throws(ExposedToken) {
        guard remote.scheme?.lowercased() != "https", !allowsPlainHTTP else { return }
        let host = remote.host(percentEncoded: true)?.lowercased() ?? ""
        guard host.isThisMachine else { throw ExposedToken(host: host) }
    }

    /// The type's name, so that no log shows the token.
    public var description: String { "Credentials" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension String {
    /// Whether this host is always this machine: `localhost` or a loopback address.
    fileprivate var isThisMachine: Bool {
        ["localhost", "::1", "[::1]"].contains(lowercased()) || isIPv4Loopback
    }

    /// Whether this is an address of the block 127.0.0.0/8, and not a name such as `127.example.org`.
    private var isIPv4Loopback: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
