package import Foundation

/// An `http` or `https` URL with a host, separated from its user and password.
package struct BareURL {
    /// A URL that HTTP cannot be sent to.
    package struct Fault: Error {
        package let url: String
        package let reason: String
    }

    package let url: URL

    /// The user and the password as the value of an `Authorization` field (RFC 7617).
    package let authorization: String?

    /// The URL without query and fragment, for logs.
    package var loggable: String { Self.loggable(url) }

    package init(_ url: URL) throws(Fault) {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let (user, password) = (components?.user, components?.password)
        components?.user = nil
        components?.password = nil
        guard let components, let bare = components.url else {
            throw Fault(url: "It", reason: "it is not a URL")
        }
        guard let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw Fault(url: Self.loggable(bare), reason: "it must begin with http:// or https://")
        }
        guard components.host?.isEmpty == false else {
            throw Fault(url: Self.loggable(bare), reason: "it has no host")
        }
        self.url = bare
        guard let user else {
            authorization = nil
            return
        }
        do throws(InvalidCredentials) {
            authorization = "Basic " + (try basicToken(user: user, password: password ?? ""))
        } catch {
            throw Fault(url: Self.loggable(bare), reason: error.reason)
        }
    }

    private static func loggable(_ url: URL) -> String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.query = nil
        components?.fragment = nil
        return components?.string ?? ""
    }
}
