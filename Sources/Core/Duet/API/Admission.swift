package final class Admission<M: Message>: Sendable {
    private let rule: AuthorizationRule<M>?
    private let isValidated = M.self is any Validatable.Type

    package init(_ listed: ListedMessage<M>) {
        rule = listed.rule
    }

    /// Accepts a message, or refuses it.
    ///
    /// - Throws: ``Refusal``; the error of a rule that cannot decide; ``MessageAPIError``.
    package func admit(_ message: M, of caller: Caller, needsRule: Bool = false) async throws {
        // First, as at a sender in another process, whose message only then leaves it.
        if isValidated {
            do { try (message as? any Validatable)?.validate() } catch { throw Refusal(error: error) }
        }
        guard caller.authority == nil else { return }
        guard let rule else {
            if needsRule { throw MessageAPIError(.missingRule(of: M.self)) }
            return
        }
        do { try await rule.check(message, of: caller) } catch let error as AuthorizationError {
            throw Refusal(error: error)
        }
    }

    /// Accepts a message of the current task, and runs an operation in which the messages that its handler dispatches
    /// are accepted, too.
    ///
    /// - Throws: As ``admit(_:of:needsRule:)``; the error of the operation.
    package func admitting<Value>(_ message: M, _ operation: () async throws -> Value) async throws -> Value {
        let caller = Caller.current
        try await admit(message, of: caller)
        return try await caller.admitted { try await operation() }
    }
}

extension AuthorizationRule {
    /// Accepts or refuses a message.
    ///
    /// - Throws: ``AuthorizationError``; the error of the rule.
    package func check(_ message: M, of caller: Caller) async throws {
        try callers.check(caller)
        guard caller.authority == nil, let check, let principal = caller.principal else { return }
        guard try await check(message, principal) else { throw AuthorizationError.forbidden }
    }
}

package struct Admissions: Sendable {
    private let name: String
    private let table: TypeTable
    private let needsRules: Bool

    package init(_ api: MessageAPI) {
        name = api.name
        needsRules = api.needsPrincipal
        let pairs = api.entries.map { (ObjectIdentifier($0.message), $0.admission) }
        table = TypeTable(Dictionary(pairs) { first, _ in first }.map { (type: $0.key, object: $0.value) })
    }

    /// Accepts a message of the current task, or refuses it.
    ///
    /// - Throws: As ``Admission/admit(_:of:needsRule:)``.
    package func admit<M: Message>(_ message: M, of caller: Caller) async throws {
        guard let object = table[M.self] else { throw MessageAPIError(unlisted: M.self, in: name) }
        // The table stores each object under the type of its message, so this one is an `Admission<M>`.
        let admission = unsafe unsafeDowncast(object, to: Admission<M>.self)
        try await admission.admit(message, of: caller, needsRule: needsRules || M.self is any Command.Type)
    }
}

/// The refusal of a message, which another attempt does not change.
package struct Refusal: Error {
    /// ``AuthorizationError``, or the error of the validation.
    package let error: any Error
}
