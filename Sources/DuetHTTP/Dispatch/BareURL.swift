package import Foundation

/// An address that an HTTP client can be sent to: http or https, with a host, and with its user taken out.
package struct BareURL {
    /// What is wrong with a URL.
    package struct Fault: Error {
        package let url: String
        package let reason: String
    }

    /// The URL without user and password.
    package let url: URL

    /// The user and the password as the value of an `Authorization` field, RFC 7617.
    package let authorization: String?

    /// The URL as a log may have it.
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
        // The first colon ends the user's name, so a name with one would come out as another name.
        guard !user.contains(":") else {
            throw Fault(url: Self.loggable(bare), reason: "a user's name must not have a colon in it")
        }
        authorization = "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
    }

    private static func loggable(_ url: URL) -> String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.query = nil
        components?.fragment = nil
        return components?.string ?? ""
    }
}
