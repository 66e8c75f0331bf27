import DuetContext
import ServiceContextModule

/// Decides who may have the messages of one type handled: the rule of the API's list, of the message, or of the settings.
struct Gate<Message: HTTPMessage>: Sendable {
    let access: ServedEndpoint.Access
    private let check: AuthoriseRule<Message>.Check?

    /// - Parameter unsaid: What holds when there is no rule at all.
    init(_ rule: AuthoriseRule<Message>?, _ settings: HTTPSettings, unsaid: ServedEndpoint.Access) {
        if let rule = rule ?? Message.authorise {
            check = rule.check
            access = check == nil ? .open : .principal
        } else if let rule = settings.authorise {
            check = rule.check.map(Self.narrow)
            access = check == nil ? .open : .principal
        } else {
            check = nil
            access = unsaid
        }
    }

    private static func narrow(_ check: @escaping AuthoriseRule<any HTTPMessage>.Check) -> AuthoriseRule<Message>.Check
    {
        { message, principal in try await check(message, principal) }
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
