/// The messages of a program, as every carrier takes them: the only list.
///
/// ```swift
/// let notes = MessageAPI("notes") {
///     ListNotes.authorized(.open)
///     AddNote.authorized(.scope("write"))
///     RemoveNote.authorized(.scope("admin")).ordered(by: \.text)
/// }
/// ```
///
/// The name, the errors and the validation of a message are declared on its type, and what differs between carriers,
/// such as a path, for the carrier. The list says who may send a message, in which order commands are handled, which
/// carriers have it, and which errors every message of it can have.
///
/// Creating a list checks nothing, so that it can be global. Each carrier reports all faults when it is created.
public struct MessageAPI: Sendable {
    /// The name, for errors.
    public let name: String

    /// The messages, in the order of the list.
    package private(set) var entries: [Entry]

    /// The faults of ``authorizing(_:_:)``.
    private var ruleFaults: [Fault] = []

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - name: The name, for errors.
    ///   - errors: The errors that the sender of any message catches by their type, over every carrier, in addition to
    ///     ``Message/declaredErrors``.
    ///   - rule: The rule of messages without their own one. Without it, each command has its own rule, and so
    ///     has each query of a list in which any message needs a principal.
    ///   - entries: The messages, one per line.
    public init(
        _ name: String,
        throwing errors: any DeclaredError.Type...,
        authorized rule: AuthorizationRule<any Message>? = nil,
        @ListBuilder<Entry> _ entries: () -> [Entry]
    ) {
        self.name = name
        self.entries = entries().map { $0.inherit(rule, errors) }
    }

    /// A message of the list.
    public struct Entry: Sendable {
        /// The type of the message.
        public let message: any Message.Type
        /// The `ListedMessage` of the message's type.
        package let listed: any Sendable
        /// The callers that the rule of the message permits; nil without a rule.
        package let callers: PermittedCallers?
        package let errors: [any DeclaredError.Type]
        package let isCarried: @Sendable (Carrier) -> Bool
        /// The ``Admission`` of the message's type.
        package let admission: any AnyObject & Sendable
        /// Returns this entry with the rule of a list, unless it has one, and with the errors of the list.
        package let inherit: @Sendable (AuthorizationRule<any Message>?, [any DeclaredError.Type]) -> Entry

        package init<M: Message>(_ listed: ListedMessage<M>) {
            message = M.self
            self.listed = listed
            callers = listed.rule?.callers
            isCarried = listed.isCarried
            admission = Admission(listed)
            errors = listed.errors
            inherit = { rule, errors in
                var heir = rule.flatMap { listed.rule == nil ? listed.authorized($0.narrowed()) : nil } ?? listed
                heir.errors += errors
                return Entry(heir)
            }
        }

        package var declaredErrors: [any DeclaredError.Type] { message.declaredErrors + errors }
    }
}

extension ListBuilder where Element == MessageAPI.Entry {
    /// Lists a message.
    public static func buildExpression<M: Message>(_ message: M.Type) -> [MessageAPI.Entry] {
        [MessageAPI.Entry(ListedMessage<M>())]
    }

    /// Lists a message with what its list says about it.
    public static func buildExpression<M: Message>(_ message: ListedMessage<M>) -> [MessageAPI.Entry] {
        [MessageAPI.Entry(message)]
    }

    /// Lists the messages of another list, with its rules and errors.
    public static func buildExpression(_ api: MessageAPI) -> [MessageAPI.Entry] { api.entries }

    /// Explains in a compiler error that a type is not a message.
    @available(*, unavailable, message: "This type is not a message. Conform it to Command or Query.")
    public static func buildExpression<Value>(_ type: Value.Type) -> [MessageAPI.Entry] { [] }
}

// MARK: Carriers

extension MessageAPI {
    /// The messages of a carrier, in the order of the list.
    public func entries(of carrier: Carrier) -> [Entry] { entries.filter { $0.isCarried(carrier) } }

    package func errors(of message: any Message.Type) -> [any DeclaredError.Type] {
        entries.first { $0.message == message }?.errors ?? []
    }
}

// MARK: One side

extension MessageAPI {
    /// Returns this list with another rule for a message, for what only one side knows.
    ///
    /// ```swift
    /// let closed = notes.authorizing(AddNote.self, .scope("admin"))
    /// ```
    ///
    /// A message that is not listed is a fault, which each carrier reports when it is created.
    public func authorizing<M: Message>(_ message: M.Type, _ rule: AuthorizationRule<M>) -> MessageAPI {
        var api = self
        api.entries = entries.map { entry in
            (entry.listed as? ListedMessage<M>).map { Entry($0.authorized(rule)) } ?? entry
        }
        if !entries.contains(where: { $0.message == message }) {
            let error = MessageAPIError(unlisted: message, in: name)
            let description = "A rule has no message: \(error.description)"
            api.ruleFaults.append(Fault(message: error.message, description: description))
        }
        return api
    }
}

// MARK: Faults

extension MessageAPI {
    package struct Fault: Hashable, Sendable {
        package let message: String
        package let description: String
    }

    package var needsPrincipal: Bool { entries.contains { $0.callers?.needsPrincipal == true } }

    fileprivate func mayLackRule(_ message: any Message.Type) -> Bool {
        !(message is any Command.Type) && !needsPrincipal
    }

    /// The faults that concern each carrier: messages of one name, and missing rules.
    package func faults(of carrier: Carrier) -> [Fault] {
        let entries = entries(of: carrier)
        let types = Dictionary(grouping: entries) { $0.message.messageName }
        var reported: Set<String> = []
        return ruleFaults
            + entries.flatMap { entry -> [Fault] in
                let name = entry.message.messageName
                guard reported.insert(name).inserted else { return [] }
                var faults: [Fault] = []
                if let same = types[name], same.count > 1 {
                    let isOne = same.allSatisfy { $0.message == entry.message }
                    faults.append(
                        Fault(
                            message: name,
                            description: isOne
                                ? "\(name) is listed twice. Remove one of them."
                                : "Two messages have the name \(name). Give one of them another messageName."
                        )
                    )
                }
                if entry.callers == nil, !mayLackRule(entry.message) { faults.append(.missingRule(of: entry.message)) }
                return faults
            }
    }
}

extension MessageAPI.Fault {
    package static func missingRule(of message: any Message.Type) -> MessageAPI.Fault {
        MessageAPI.Fault(
            message: message.messageName,
            description: """
                \(message.messageName) has no authorization rule: write \(message).authorized(…) in the list, with \
                .open to let everyone send it.
                """
        )
    }
}

extension HandlerListing {
    package func fault(of message: any Message.Type) -> String? {
        guard !hasHandler(for: ObjectIdentifier(message)) else { return nil }
        let name = message.messageName
        return "\(name) has no handler: give the dispatcher one, or leave the message out of the list."
    }
}

extension AuthorizationRule<any Message> {
    fileprivate func narrowed<One: Message>() -> AuthorizationRule<One> {
        guard let check else { return AuthorizationRule<One>(callers) }
        return AuthorizationRule<One>(callers) { message, principal in try await check(message, principal) }
    }
}
