import DuetContext
import ServiceContextModule

/// Decides who may have the messages of one type handled: the rule of the API's list, of the message, or of the settings.
struct Gate<Message: HTTPMessage>: Sendable {
    let access: ServedEndpoint.Access
    private let check: AuthoriseRule<Message>.Check?

    init(_ rule: AuthoriseRule<Message>, _ settings: HTTPSettings) {
        switch [rule, Message.authorise, settings.authorise.narrowed()].map(\.decision).first(where: \.isSaid) {
        case .principal(let check): (self.check, access) = (check, .principal)
        case .open: (check, access) = (nil, .open)
        case .unsaid, nil: (check, access) = (nil, .unsaid)
        }
    }

    /// What is answered before a message is read: a stranger does not get to know what else is wrong with a request.
    func refusal() -> HTTPAnswer? {
        check == nil || ServiceContext.current?.principal != nil ? nil : .unauthorized
    }

    /// What is answered to a message that must not be handled.
    ///
    /// - Throws: What the rule throws.
    func refusal(of message: Message) async throws -> HTTPAnswer? {
        guard let check else { return nil }
        guard let principal = ServiceContext.current?.principal else { return .unauthorized }
        return try await check(message, principal) ? nil : .forbidden
    }
}

extension AuthoriseRule.Decision {
    fileprivate var isSaid: Bool {
        if case .unsaid = self { false } else { true }
    }
}

extension AuthoriseRule<any HTTPMessage> {
    /// The rule of all messages as that of one type.
    fileprivate func narrowed<One: HTTPMessage>() -> AuthoriseRule<One> {
        switch decision {
        case .unsaid: .unsaid
        case .open: .open
        case .principal(let check): .when { message, principal in try await check(message, principal) }
        }
    }
}
