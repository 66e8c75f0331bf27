import Synchronization

/// The answer of a command, on its way from where the command is handled to those who have sent it.
///
/// A command returns nothing, so the answer takes this way, as a ``CommandVersion`` does.
package final class CommandAnswer<C: AnsweredCommand>: Sendable {
    private struct State {
        var query: C.Answer?
        var response: AnswerResponse?
        /// The error of the content of the response.
        var failure: (any Error)?
        /// The reason for which the command has not been handled yet, although its dispatch has ended.
        var delay: (any Error)?
        var isClosed = false
    }

    /// The answer of the command that this task sends or handles.
    package static var current: CommandAnswer? {
        (CommandAnswers.current as? CommandAnswer).flatMap { $0.isClosed ? nil : $0 }
    }

    package let isAwaited: Bool
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

    private var isClosed: Bool { state.withLock(\.isClosed) }

    /// Runs the dispatch of the command, which may note the answer.
    package func noted(by dispatch: () async throws -> Void) async throws {
        // Tasks that have begun meanwhile may go on.
        defer { state.withLock { $0.isClosed = true } }
        try await CommandAnswers.$current.withValue(self, operation: dispatch)
    }

    package func note(_ query: C.Answer, in response: AnswerResponse? = nil) {
        update { state in
            // A handler may name the query of a response that it has got from another process.
            let response = response ?? (state.query == query ? state.response : nil)
            state = State(query: query, response: response)
        }
    }

    /// Notes why the content of the response tells nothing.
    package func note(unreadable error: any Error) { update { $0 = State(failure: error) } }

    fileprivate func note(delay reason: any Error) { update { $0 = State(delay: reason) } }

    private func update(_ change: (inout State) -> Void) {
        let isOpen = state.withLock { state in
            if !state.isClosed { change(&state) }
            return !state.isClosed
        }
        if isOpen { outer?.update(change) }
    }

    /// The query, as its handler, the response or the command itself tells; nil if none does.
    package func knownQuery(of command: C) -> C.Answer? { state.withLock(\.query) ?? command.answer(from: nil) }

    /// The query, as ``knownQuery(of:)`` returns it.
    ///
    /// - Throws: Why it is not known, or is too early.
    package func query(of command: C) throws -> C.Answer {
        let (delay, failure) = state.withLock { ($0.delay, $0.failure) }
        if let delay { throw delay }
        guard let query = knownQuery(of: command) else { throw failure ?? UnknownAnswer() }
        return query
    }

    /// Takes the response to the command, if it is of use for a query.
    package func takeResponse(to query: C.Answer) -> AnswerResponse? {
        state.withLock { $0.query == query ? $0.response.take() : nil }
    }
}

extension AnsweredCommand {
    package var isAnswerAwaited: Bool { CommandAnswer<Self>.current?.isAwaited == true }

    /// Notes that the command is handled after its dispatch.
    package func noteDelay(_ reason: any Error) { CommandAnswer<Self>.current?.note(delay: reason) }
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

/// A response to a command, for the carrier's own handler of the query that answers the command.
package final class AnswerResponse: Sendable {
    /// The content, which only the carrier can read.
    package let content: any Sendable
    /// Whether the content is the value of the query; otherwise the query has to be sent with it.
    package let holdsValue: Bool
    /// The version of the value in the cache of the other process.
    package let version: CacheVersion?
    fileprivate let carrier: any AnyObject & Sendable
    private let caller = Caller.current
    private let lateness = Mutex<[@Sendable () -> Bool]>([])

    package init(
        _ content: any Sendable,
        of version: CacheVersion? = nil,
        holdsValue: Bool = true,
        from carrier: any AnyObject & Sendable
    ) {
        self.content = content
        self.holdsValue = holdsValue
        self.version = version
        self.carrier = carrier
    }

    /// Whether the value may be older than a change that a cache has seen since the command was sent.
    package var isLate: Bool { lateness.withLock(\.self).contains { $0() } }

    /// Adds the condition of a cache for ``isLate``.
    package func addLateness(_ isLate: @escaping @Sendable () -> Bool) { lateness.withLock { $0.append(isLate) } }

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

    package init<Q: Query & Equatable>(_ response: AnswerResponse?, of query: Q) {
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

    /// Whether this task loads the answer of a command, which caches on the way may not have yet.
    package static func isLoading(_ query: some Sendable) -> Bool { current?.isOffered(query) == true }

    /// The response whose value this task may use for a query; nil if it needs a request.
    package static func response<Q: Query>(to query: Q) -> AnswerResponse? {
        guard let current, current.isOffered(query) else { return nil }
        return current.response.withLock { $0?.holdsValue == true ? $0 : nil }
    }

    /// Takes the response for a query at the carrier of the command, and a value only once.
    package static func take<Q: Query>(_ query: Q, at carrier: some AnyObject) -> AnswerResponse? {
        guard let current, current.isOffered(query) else { return nil }
        return current.response.withLock { response in
            guard let found = response, found.carrier === carrier, found.isForCaller else { return nil }
            if found.holdsValue { response = nil }
            return found
        }
    }
}
