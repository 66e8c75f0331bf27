import DuetHTTP
import HTTPTypes
package import Hummingbird

extension Request {
    /// Returns the address of the client that sent this request.
    ///
    /// - Parameters:
    ///   - address: The other end of the connection.
    ///   - isForwarded: Whether that is the server of a public address. The client is then the one that it states last
    ///     in `X-Forwarded-For`.
    package func clientAddress(connectedFrom address: String?, isForwarded: Bool) -> String? {
        (isForwarded ? statedAddress : nil) ?? address
    }

    private var statedAddress: String? {
        guard let field = HTTPField.Name("X-Forwarded-For"), let value = headers[values: field].last,
            let client = FieldList.members(of: value).last, client.count <= 64
        else { return nil }
        return Self.host(of: String(decoding: client, as: UTF8.self))
    }

    /// The address without the port that some servers append: each connection has another one.
    private static func host(of address: String) -> String {
        if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : address
    }
}
