package import Duet
package import DuetClusterEngine

package struct MessageList: Sendable {
    let all: [any AnyRoute]
    private let api: MessageAPI
    private let names: [String: any AnyRoute]
    /// The number of bytes of the longest name.
    private let longest: Int
    private let types: TypeTable

    /// Creates the list of a worker, or of a sender.
    ///
    /// - Parameter dispatcher: Handles the messages of a worker; nil for a sender.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    package init(_ api: MessageAPI, handledBy dispatcher: (any Dispatcher)? = nil) throws(InvalidMessageAPI) {
        let entries = api.entries(of: .cluster)
        let routes = entries.compactMap(\.route)
        let handlers = dispatcher as? any HandlerListing
        let faults =
            api.faults(of: .cluster).map(\.description)
            + entries.compactMap { $0.route == nil ? $0.clusterFault : nil }
            + routes.compactMap { handlers?.fault(of: $0.message) }
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        self.api = api
        all = routes
        names = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0) })
        longest = routes.map(\.name.utf8.count).max() ?? 0
        types = TypeTable(routes.map { (ObjectIdentifier($0.message), $0) })
    }

    /// The message with a name, which may come from elsewhere.
    subscript(_ name: String) -> (any AnyRoute)? { name.utf8.count > longest ? nil : names[name] }

    /// - Throws: ``/Duet/MessageAPIError``.
    func route<M: Message>(of message: M.Type) throws(MessageAPIError) -> ClusterRoute<M> {
        guard let route = types[M.self] else { throw MessageAPIError(M.self, in: api, over: .cluster) }
        // The table stores each route under the type of its message, so the route found here is a `ClusterRoute<M>`.
        return unsafe unsafeDowncast(route, to: ClusterRoute<M>.self)
    }

    /// A command for the log, with a new identifier and what travels beside it in the current task.
    ///
    /// - Throws: ``/Duet/MessageAPIError``; `EncodingError`.
    package func logged<C: Command & Codable>(_ command: C) throws -> LoggedCommand {
        let key = try route(of: C.self).key(command)
        return try LoggedCommand(C.messageName, try ClusterCoding.encode(command), key: key, idempotencyKey: nil)
    }
}

extension MessageAPI.Entry {
    /// The form in which a cluster carries the message; nil if it cannot.
    fileprivate var route: (any AnyRoute)? {
        switch message {
        case let command as any (AnsweredCommand & Codable).Type: answeredRoute(of: command)
        case let command as any (Command & Codable).Type: route(of: command)
        case let query as any PayloadQuery.Type: payloadRoute(of: query)
        case let query as any (Query & Codable).Type: route(of: query)
        default: nil
        }
    }

    private func route<C: Command & Codable>(of command: C.Type) -> any AnyRoute {
        ClusterRoute<C>(self, key: (listed as? ListedMessage<C>)?.key)
    }

    private func answeredRoute<C: AnsweredCommand & Codable>(of command: C.Type) -> any AnyRoute {
        ClusterRoute<C>(answered: self, key: (listed as? ListedMessage<C>)?.key)
    }

    private func payloadRoute<Q: PayloadQuery>(of query: Q.Type) -> any AnyRoute { ClusterRoute<Q>(payload: self) }

    private func route<Q: Query & Codable>(of query: Q.Type) -> (any AnyRoute)? {
        Q.Value.self is any Codable.Type ? ClusterRoute<Q>(codable: self) : nil
    }

    /// The reason why a cluster cannot carry the message.
    fileprivate var clusterFault: String {
        """
        \(message.messageName) cannot be carried by a cluster: conform it, and the value of a query, to Codable, or \
        write \(message).not(over: .cluster) in the list.
        """
    }
}
