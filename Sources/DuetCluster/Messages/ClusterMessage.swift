public import Duet

/// A message that a cluster carries, as `cluster.serve` and `cluster.dispatcher` list it.
///
/// ```swift
/// enum Talks {
///     @ListBuilder<ClusterMessage> static var messages: [ClusterMessage] {
///         LoadTalk.self
///         RateTalk.ordered(by: \.id)
///     }
/// }
/// ```
///
/// A message and its value are encoded as JSON. The names of its properties must not change as long as nodes of an
/// earlier version run, or commands of one wait.
public struct ClusterMessage: Sendable {
    /// The name of the message.
    public let name: String

    let type: ObjectIdentifier
    let isCommand: Bool
    /// The `ClusterRoute` of the message's type.
    let route: any AnyRoute

    init<M: Message>(_ route: ClusterRoute<M>, isCommand: Bool) {
        name = M.messageName
        type = ObjectIdentifier(M.self)
        self.isCommand = isCommand
        self.route = route
    }
}

extension Command where Self: Codable {
    /// Lists this command with a key: commands with equal keys are handled in the order of their dispatch.
    ///
    /// Keys are compared across all commands of a cluster. Give commands that concern the same object the same key.
    public static func ordered<Key: Encodable & Sendable>(
        by key: @escaping @Sendable (Self) -> Key
    ) -> ClusterMessage {
        ClusterMessage(ClusterRoute(self) { try ClusterCoding.text(key($0)) }, isCommand: true)
    }
}

extension ListBuilder where Element == ClusterMessage {
    /// Lists a query.
    public static func buildExpression<Q: Query & Codable>(_ query: Q.Type) -> [ClusterMessage]
    where Q.Value: Codable & Sendable {
        [ClusterMessage(ClusterRoute(codable: query), isCommand: false)]
    }

    /// Lists a command whose dispatches may be handled in any order.
    public static func buildExpression<C: Command & Codable>(_ command: C.Type) -> [ClusterMessage] {
        [ClusterMessage(ClusterRoute(command) { _ in nil }, isCommand: true)]
    }

    /// Refuses a message that cannot be encoded.
    @available(
        *,
        unavailable,
        message: "A cluster carries messages that are Codable, and queries whose Value is Codable and Sendable."
    )
    public static func buildExpression<M: Message>(_ message: M.Type) -> [ClusterMessage] { [] }
}

/// The messages of a dispatcher or worker, by name and by type.
struct MessageList: Sendable {
    let all: [ClusterMessage]
    private let names: [String: ClusterMessage]
    /// The number of bytes of the longest name.
    private let longest: Int
    private let types: TypeTable

    /// - Throws: ``ClusterError/listedTwice(message:)``.
    init(_ messages: [ClusterMessage]) throws {
        all = messages
        names = try Dictionary(messages.map { ($0.name, $0) }) { first, _ in
            throw ClusterError.listedTwice(message: first.name)
        }
        longest = messages.map(\.name.utf8.count).max() ?? 0
        types = TypeTable(messages.map { ($0.type, $0.route) })
    }

    /// The message with a name, which may come from elsewhere.
    subscript(_ name: String) -> ClusterMessage? { name.utf8.count > longest ? nil : names[name] }

    /// - Throws: ``ClusterError/notListed(message:)``.
    func route<M: Message>(of message: M.Type) throws -> ClusterRoute<M> {
        guard let route = types[M.self] else { throw ClusterError.notListed(message: M.messageName) }
        // The table stores each route under the type of its message, so the route found here is a `ClusterRoute<M>`.
        return unsafe unsafeDowncast(route, to: ClusterRoute<M>.self)
    }
}
