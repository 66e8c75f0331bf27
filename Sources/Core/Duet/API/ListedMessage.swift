/// A message of a ``MessageAPI``, with what its list says about it.
public struct ListedMessage<M: Message>: Sendable {
    /// Nil for the rule of the list.
    package fileprivate(set) var rule: AuthorizationRule<M>?
    /// Returns the key of a command; nil for commands that can be handled in any order.
    package fileprivate(set) var key: (@Sendable (M) -> any Encodable)?
    package var errors: [any DeclaredError.Type] = []
    package fileprivate(set) var isCarried: @Sendable (Carrier) -> Bool = { _ in true }

    package init() {}

    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var listed = self
        change(&listed)
        return listed
    }

    /// Sets who may send the message.
    public func authorized(_ rule: AuthorizationRule<M>) -> ListedMessage { with { $0.rule = rule } }

    /// Lists the message for some carriers only.
    public func only(over carriers: Carrier...) -> ListedMessage {
        with { $0.isCarried = { carriers.contains($0) } }
    }

    /// Lists the message for all carriers but some.
    public func not(over carriers: Carrier...) -> ListedMessage {
        with { $0.isCarried = { !carriers.contains($0) } }
    }
}

extension ListedMessage where M: Command {
    /// Sets a key: carriers that keep commands handle those with equal keys in dispatch order.
    ///
    /// Keys are compared across all commands of a program. Give commands that concern the same object the same key.
    public func ordered<Key: Encodable & Sendable>(by key: @escaping @Sendable (M) -> Key) -> ListedMessage {
        with { $0.key = { key($0) } }
    }
}

extension Message {
    /// Lists this message with the rule for those who may send it.
    public static func authorized(_ rule: AuthorizationRule<Self>) -> ListedMessage<Self> {
        ListedMessage().authorized(rule)
    }

    /// Lists this message for some carriers only.
    public static func only(over carriers: Carrier...) -> ListedMessage<Self> {
        ListedMessage().with { $0.isCarried = { carriers.contains($0) } }
    }

    /// Lists this message for all carriers but some.
    public static func not(over carriers: Carrier...) -> ListedMessage<Self> {
        ListedMessage().with { $0.isCarried = { !carriers.contains($0) } }
    }
}

extension Command {
    /// Lists this command with a key, as ``ListedMessage/ordered(by:)`` sets it.
    public static func ordered<Key: Encodable & Sendable>(
        by key: @escaping @Sendable (Self) -> Key
    ) -> ListedMessage<Self> {
        ListedMessage().ordered(by: key)
    }
}
