import Synchronization

/// The answer of a command, on its way from where the command is handled to those who have sent it.
///
/// A command returns nothing, so the answer takes this way, as a ``CommandVersion`` does.
package final class CommandAnswer<C: AnsweredCommand>: Sendable {
    private struct State {
        var query: C.Answer?
        var response: AnswerResponse?
        var failure: (any Error)?
        var isClosed = false
    }

    /// The answer of the command that this task sends or handles.
    package static var current: CommandAnswer? { CommandAnswers.current as? CommandAnswer }

    fileprivate let isAwaited: Bool
    /// That of a layer outside of this one, which has sent the same command.
    private let outer: CommandAnswer?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isAwaited: Whether the sender waits for the answer.
    ///   - outer: The answer for the layers outside; nil where the command has come from another process.
    package init(isAwaited: Bool = false, outer: CommandAnswer? = current) {
        self.isAwaited = isAwaited || outer?.isAwaited == true
        self.outer = outer
    }

    /// Runs the dispatch of the command, which may note the answer.
    package func noted(by dispatch: () async throws -> Void) async throws {
        // Tasks that have begun meanwhile may go on.
        defer { state.withLock { $0.isClosed = true } }
        try await CommandAnswers.$current.withValue(self, operation: dispatch)
    }

    /// Notes the query, and the response that holds its value.
    package func note(_ query: C.Answer, in response: AnswerResponse? = nil) {
        set(State(query: query, response: response))
    }

    /// Notes why the response to the command tells nothing.
    package func note(_ failure: any Error) { set(State(failure: failure)) }

    private func set(_ new: State) {
        state.withLock { if !$0.isClosed { $0 = new } }
        outer?.set(new)
    }

    /// The query, as the command itself, its handler or the response tells; nil if none does.
    package func knownQuery(of command: C) -> C.Answer? { command.answer(from: nil) ?? state.withLock(\.query) }

    /// The query, as ``knownQuery(of:)`` returns it.
    ///
    /// - Throws: Why it is not known.
    package func query(of command: C) throws -> C.Answer {
        guard let query = knownQuery(of: command) else { throw state.withLock(\.failure) ?? UnknownAnswer() }
        return query
    }

    /// The response to the command, if it holds the value of a query.
    package func response(to query: C.Answer) -> AnswerResponse? {
        state.withLock { $0.query == query ? $0.response : nil }
    }

    /// The response to the command, for one dispatch of its query; nil if it does not hold the value.
    package func offer(of query: C.Answer) -> AnswerOffer? {
        response(to: query).map { AnswerOffer($0, of: query) }
    }
}

extension AnsweredCommand {
    /// Whether the sender of the current task's command waits for the answer.
    package var isAnswerAwaited: Bool { CommandAnswer<Self>.current?.isAwaited == true }
}

/// Nobody has named the query that answers a command.
private struct UnknownAnswer: Error, CustomStringConvertible {
    var description: String {
        "no query is known. Return it from answer(from:), or let an AnsweringHandler handle the command."
    }
}

private enum CommandAnswers {
    /// The innermost `CommandAnswer`.
    @TaskLocal static var current: (any AnyObject & Sendable)?
}

/// A response to a command that holds the value of a query.
package final class AnswerResponse: Sendable {
    /// The content, for the carrier's own handler of the query.
    package let content: any Sendable
    /// The version of the value in the cache of the other process.
    package let version: CacheVersion?
    fileprivate let carrier: any AnyObject & Sendable
    private let caller = Caller.current
    private let reasons = Mutex<[@Sendable () -> Bool]>([])

    /// - Parameter carrier: The only one that can use the content.
    package init(_ content: any Sendable, of version: CacheVersion?, from carrier: any AnyObject & Sendable) {
        self.content = content
        self.version = version
        self.carrier = carrier
    }

    /// Whether the value may be older than what a cache has seen since the command was sent.
    package var isLate: Bool { version == nil && reasons.withLock(\.self).contains { $0() } }

    /// Adds a reason for which the value may be too old.
    package func addLateness(_ isLate: @escaping @Sendable () -> Bool) { reasons.withLock { $0.append(isLate) } }

    /// Whether the value is for the caller of the current task.
    fileprivate var isForCaller: Bool {
        let current = Caller.current
        return current.principal == caller.principal && current.authority == caller.authority
            && current.isNode == caller.isNode
    }
}

/// The response to a command, while its query is dispatched.
package final class AnswerOffer: Sendable {
    @TaskLocal private static var current: AnswerOffer?

    private let isOffered: @Sendable (_ query: any Sendable) -> Bool
    private let response: Mutex<AnswerResponse?>

    fileprivate init<Q: Query & Equatable>(_ response: AnswerResponse, of query: Q) {
        self.response = Mutex(response)
        isOffered = { $0 as? Q == query }
    }

    /// Runs the dispatch of the query, for which the carrier takes the response.
    package func run<Value>(_ dispatch: () async throws -> Value) async rethrows -> Value {
        defer { close() }
        return try await Self.$current.withValue(self, operation: dispatch)
    }

    /// Begins a load of the query, at whose end the caller closes the offer.
    package func begin<Value>(_ load: () throws -> Value) rethrows -> Value {
        try Self.$current.withValue(self, operation: load)
    }

    /// Drops the response, because a later dispatch needs a newer one.
    package func close() { response.withLock { $0 = nil } }

    /// The response that this task may use for a query; nil if it needs a request.
    package static func response<Q: Query>(to query: Q) -> AnswerResponse? {
        guard let current, current.isOffered(query) else { return nil }
        return current.response.withLock(\.self)
    }

    /// Takes the response for a query, once, at the carrier of the command.
    package static func take<Q: Query>(_ query: Q, at carrier: some AnyObject) -> AnswerResponse? {
        guard let current, current.isOffered(query) else { return nil }
        return current.response.withLock { response in
            guard let found = response, found.carrier === carrier, found.isForCaller else { return nil }
            response = nil
            return found
        }
    }
}
