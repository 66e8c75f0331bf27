package import Duet
package import DuetContext
package import HTTPTypes

package final class ServedAPI: Sendable {
    /// The prefix of the paths, without a slash at its end: empty, or for example `/api`.
    package let base: String

    /// The response fields for the pages of other origins; nil if there is no policy.
    package let cors: CORSFields?

    let authenticator: (any TokenAuthenticator)?
    let options: MountOptions
    let streams: EventStreams
    private let api: HTTPAPI

    /// Checks the messages, and whether they can be served, by the handlers of a dispatcher unless each request has its
    /// own.
    package init(
        _ messages: MessageAPI,
        at base: String,
        authenticator: (any TokenAuthenticator)?,
        options: MountOptions,
        checking dispatcher: (any Dispatcher)?
    ) throws(InvalidMessageAPI) {
        var faults = options.faults
        if !base.allSatisfy(\.isPathCharacter) {
            faults.append("The base path “\(base)” must be a percent-encoded path without a query.")
        }
        do { api = try HTTPAPI(messages, options.settings, statuses: options.statuses) } catch {
            throw InvalidMessageAPI(faults: error.faults + faults)
        }
        faults =
            api.endpoints.flatMap { $0.mountingFaults(hasAuthenticator: authenticator != nil, dispatcher) } + faults
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        self.base = base.split(separator: "/").map { "/\($0)" }.joined()
        self.authenticator = authenticator
        self.options = options
        cors = options.cors.map { CORSFields($0) }
        streams = EventStreams(options.live, clock: options.clock)
    }

    /// Finds the endpoint of a request, and the percent-encoded query of its target.
    ///
    /// - Returns: Nil if the path is not below the base.
    package func route(_ request: HTTPRequest) -> (RoutedRequest, query: String?)? {
        let target = RequestTarget(request)
        guard let path = target.path(below: base) else { return nil }
        return (api.route(request.method == .head ? .get : request.method, path), target.query)
    }
}

extension ServedEndpoint {
    fileprivate func mountingFaults(hasAuthenticator: Bool, _ dispatcher: (any Dispatcher)?) -> [String] {
        if let fault = mountingFault(message, callers, hasAuthenticator, dispatcher) { return [fault] }
        if let isReported, let dispatcher, !isReported(dispatcher) {
            return [
                """
                \(messageName) is live, but the dispatcher does not report its changes: put a cache in front of it, \
                dispatcher.caching(…) with Cache(\(message).self, …), or remove .live() from its route.
                """
            ]
        }
        guard let answer, !answer.isCarried(.http) else { return [] }
        return [mountingFault(answer.message, answer.callers, hasAuthenticator, dispatcher)].compactMap(\.self)
    }

    private func mountingFault(
        _ message: any Message.Type,
        _ callers: PermittedCallers?,
        _ hasAuthenticator: Bool,
        _ dispatcher: (any Dispatcher)?
    ) -> String? {
        let name = message.messageName
        if message is any ThirdPartyQuery.Type { return "\(HTTPMessageError.notServed(message: name))" }
        if let fault = (dispatcher as? any HandlerListing)?.fault(of: message) { return fault }
        // With an authenticator, a missing rule would let anyone in.
        if callers == nil, hasAuthenticator { return MessageAPI.Fault.missingRule(of: message).description }
        guard callers?.needsPrincipal == true, !hasAuthenticator else { return nil }
        return """
            \(name) requires a principal, but there is no authenticator: give the mount one, or set the rule to .open.
            """
    }
}

extension Character {
    /// Whether a path may contain the character (RFC 3986, section 3.3).
    fileprivate var isPathCharacter: Bool {
        isASCII && (isLetter || isNumber || "-._~!$&'()*+,;=:@%/".contains(self))
    }
}

/// The target of a request (RFC 9112, section 3.2).
package struct RequestTarget {
    package let path: Substring

    /// The percent-encoded text after the question mark, or nil without one.
    package let query: String?

    package init(_ request: HTTPRequest) {
        var target = request.path.map { $0[...] } ?? "/"
        // The target may also be a complete URL. Only that one is worth a search.
        if target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") {
            target = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }.prefix { $0 != "#" }
        }
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = target[..<(mark ?? target.endIndex)]
        self.path = path.isEmpty ? "/" : path
        query = mark.map { String(target[target.utf8.index(after: $0)...]) }
    }

    func path(below base: String) -> Substring? {
        guard path.utf8.starts(with: base.utf8) else { return nil }
        let rest = path[path.utf8.index(path.startIndex, offsetBy: base.utf8.count)...]
        return rest.utf8.first == UInt8(ascii: "/") || (rest.isEmpty && !base.isEmpty) ? rest : nil
    }
}
