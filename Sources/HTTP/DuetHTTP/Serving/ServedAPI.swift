package import Duet
package import DuetContext
package import HTTPTypes

package final class ServedAPI: Sendable {
    /// The prefix of the paths, without a slash at its end: empty, or for example `/api`.
    package let base: String

    /// The response fields for the pages of other origins; nil if there is no policy.
    package let cors: CORSFields?

    let credentials: Credentials
    let options: MountOptions
    let streams: EventStreams
    let groups: CacheGroups
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
        credentials = Credentials(authenticator)
        var faults = options.faults + credentials.faults
        if !base.allSatisfy(\.isPathCharacter) {
            faults.append("The base path “\(base)” must be a percent-encoded path without a query.")
        }
        do {
            api = try HTTPAPI(
                messages,
                options.settings,
                statuses: options.statuses,
                keepsContents: options.keepsContents
            )
        } catch {
            throw InvalidMessageAPI(faults: error.faults + faults)
        }
        var known: Set<String> = []
        // Two commands may have one answer.
        faults =
            api.endpoints.flatMap { $0.mountingFaults(hasAuthenticator: authenticator != nil, dispatcher) }
            .filter { known.insert($0).inserted } + faults
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        self.base = base.split(separator: "/").map { "/\($0)" }.joined()
        self.options = options
        cors = options.cors.map { [credentials] in CORSFields($0, credentials: credentials.fields) }
        streams = EventStreams(options.live, clock: options.clock)
        groups = CacheGroups(key: options.groupKey ?? messages.name)
    }

    /// Finds the endpoint of a request, and the percent-encoded query of its target.
    ///
    /// - Returns: Nil if the path is not below the base.
    package func route(_ request: HTTPRequest) -> (RoutedRequest, query: String?)? {
        let target = RequestTarget(request)
        guard let path = target.path(below: base) else { return nil }
        return (api.route(request.method == .head ? .get : request.method, path), target.query)
    }

    /// Whether a path, relative to the base, is that of a query, and not of another message.
    func leads(_ path: String, to query: MessageAPI.Entry?) -> Bool {
        guard case .found(let endpoint, _) = api.route(.get, path.prefix { $0 != "?" }) else { return false }
        return endpoint.message == query?.message
    }
}

extension ServedEndpoint {
    /// The faults of the message, and of a query that is available as its answer only.
    fileprivate func mountingFaults(hasAuthenticator: Bool, _ dispatcher: (any Dispatcher)?) -> [String] {
        let fault = mountingFault(message, callers, hasAuthenticator, dispatcher) ?? reportingFault(dispatcher)
        let answer = answeringQuery.flatMap { $0.isCarried(.http) ? nil : $0 }
        let other = answer.flatMap { mountingFault($0.message, $0.callers, hasAuthenticator, dispatcher) }
        return [fault, other].compactMap(\.self)
    }

    private func reportingFault(_ dispatcher: (any Dispatcher)?) -> String? {
        guard let isReported, let dispatcher, !isReported(dispatcher) else { return nil }
        return """
            \(messageName) is live, but the dispatcher does not report its changes: put a cache in front of it, \
            dispatcher.caching(…) with Cache(\(message).self, …), or remove .live(), or its types of events, from its \
            route.
            """
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
