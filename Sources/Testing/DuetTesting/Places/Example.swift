public import Duet

/// A message with the outcome that it has in every place.
///
/// ```swift
/// Example(ListNotes(), returns: ["Milk"])
/// Example(AddNote(text: "Bread"), throws: AuthorizationError.unauthenticated)
/// Example(AddNote(text: ""), throws: EmptyNote()).sent(by: ada)
/// Example(AddNote(text: "Bread"), then: ListNotes(), returns: ["Milk", "Bread"]).sent(by: ada)
/// ```
///
/// Each example begins with the state that the dispatcher has when it is made.
public struct Example: Sendable {
    /// Commands that change the state first.
    private var preparations: [ExampleStep] = []
    private let messages: [ExampleStep]
    private(set) var skipped: Set<Place.Name> = []

    #if Caching || HTTP || Cluster
        private(set) var principal: Principal?
    #endif

    var steps: [ExampleStep] { preparations + messages }

    /// The messages, in dispatch order.
    var text: String { steps.map(\.text).joined(separator: ", then ") }

    /// Expects the value of a query.
    public init<Q: Query>(_ query: Q, returns value: Q.Value) where Q.Value: Equatable & Sendable {
        messages = [ExampleStep(query, .value(value))]
    }

    /// Expects the error of a message, which is declared if it arrives typed in every place.
    public init<M: Message>(_ message: M, throws error: some Error & Equatable) where M.Value: Sendable {
        messages = [ExampleStep(message, .failure(error))]
    }

    /// Expects that a command succeeds.
    ///
    /// To see what it changes, add a query: ``init(_:then:returns:)``.
    public init<C: Command>(succeeding command: C) {
        messages = [ExampleStep(command, .value(()))]
    }

    /// Expects that a command succeeds, and the value of a query afterward.
    public init<C: Command, Q: Query>(_ command: C, then query: Q, returns value: Q.Value)
    where Q.Value: Equatable & Sendable {
        messages = [ExampleStep(command, .value(())), ExampleStep(query, .value(value))]
    }

    /// Expects the answer of a command, which the query that answers it returns afterward.
    ///
    /// The query that a client finds by the content of the answer must be the one that the handler has named.
    public init<C: AnsweredCommand>(answering command: C, returns value: C.Answer.Value)
    where C.Answer.Value: Equatable {
        messages = [ExampleStep(answering: command, .value(value))]
    }

    /// Expects that a command succeeds, and the error of a query afterward.
    public init<C: Command, Q: Query>(_ command: C, then query: Q, throws error: some Error & Equatable)
    where Q.Value: Sendable {
        messages = [ExampleStep(command, .value(())), ExampleStep(query, .failure(error))]
    }
}

extension Example {
    /// Returns this example with commands before its messages, which are expected to succeed.
    ///
    /// They are dispatched in the order of writing, after those of earlier calls.
    public func after(_ commands: any Command...) -> Example {
        var example = self
        example.preparations += commands.map { Self.step($0) }
        return example
    }

    private static func step(_ command: some Command) -> ExampleStep { ExampleStep(command, .value(())) }

    /// Returns this example without one of the places.
    ///
    /// - Parameters:
    ///   - place: A place where the message cannot run, or has another outcome.
    ///   - reason: The reason, for readers of the suite.
    public func skipping(_ place: Place.Name, because reason: String) -> Example {
        var example = self
        example.skipped.insert(place)
        return example
    }

    #if Caching || HTTP || Cluster
        /// Returns this example with a principal, who sends its messages in every place.
        ///
        /// Over HTTP a bearer token stands for the principal.
        public func sent(by principal: Principal) -> Example {
            var example = self
            example.principal = principal
            return example
        }
    #endif

    func send<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        #if Caching || HTTP || Cluster
            try await withPrincipal(principal) { try await operation() }
        #else
            try await operation()
        #endif
    }
}

struct ExampleStep {
    typealias Perform = @Sendable (any Dispatcher) async -> StepOutcome
    typealias PerformAfter = @Sendable (any Dispatcher, _ dispatch: () async throws -> Void) async -> StepOutcome

    let name: String
    /// The name of the type, as in a list.
    let type: String
    /// The message with its properties.
    let text: String
    /// The message and its properties, as a cache describes its queries.
    let reflection: String
    let message: any Message
    var command: (any Command)? { message as? any Command }
    let value: @Sendable (any Dispatcher) async throws -> any Sendable
    let expected: StepOutcome
    private(set) var perform: Perform
    /// Performs the step in this process, where more of it can be checked.
    private(set) var performHere: Perform
    /// Dispatches the command of the step by a function, and then the query that answers it.
    private(set) var performAfter: PerformAfter?
    /// Returns the difference of a message that arrived; nil for an equal one, or one of another type.
    let difference: @Sendable (_ arrived: any Sendable) -> StepOutcome.Difference?

    init<M: Message>(_ message: M, _ expected: StepOutcome) where M.Value: Sendable {
        name = M.messageName
        type = "\(M.self)"
        text = StepOutcome.text(of: message)
        reflection = String(reflecting: message)
        self.message = message
        value = { try await $0.dispatch(message) }
        self.expected = expected
        perform = { dispatcher in await .of { try await dispatcher.dispatch(message) } }
        performHere = perform
        difference = { arrived in (arrived as? M).flatMap { StepOutcome.Difference(message, $0) } }
    }
}

extension ExampleStep {
    init<C: AnsweredCommand>(answering command: C, _ expected: StepOutcome) where C.Answer.Value: Equatable {
        self.init(command, expected)
        perform = { dispatcher in await .of { try await dispatcher.answer(to: command) } }
        performHere = { dispatcher in
            await .of {
                let answer = CommandAnswer<C>()
                var value: C.Answer.Value?
                try await answer.noted { value = try await dispatcher.answer(to: command) }
                let query = try answer.query(of: command)
                let content = try value.map { try C.Answer.payload(from: $0, answering: query) }
                let again = try await dispatcher.dispatch(query)
                let told = command.answer(from: content) ?? query
                guard told == query, let value, value == again else {
                    throw MisleadingAnswer(command: C.messageName, query: "\(query)")
                }
                return value
            }
        }
        performAfter = { dispatcher, dispatch in
            await .of {
                let answer = CommandAnswer<C>()
                try await answer.noted(by: dispatch)
                return try await dispatcher.dispatch(answer.query(of: command))
            }
        }
    }
}

/// The answer of a command is not the value of the query that a client finds by its content.
struct MisleadingAnswer: Error, CustomStringConvertible {
    let command: String
    let query: String

    var description: String {
        """
        \(query) answers \(command), but its value afterward is another one, or answer(from:) returns another query for \
        its content. Return the query that the handler names.
        """
    }
}
