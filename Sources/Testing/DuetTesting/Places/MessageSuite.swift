public import Duet

/// Examples of messages, whose outcomes must be the same wherever the messages run.
///
/// ```swift
/// let ada = Principal(id: "ada", scopes: ["write"])
///
/// let suite = MessageSuite(notes) {
///     Example(ListNotes(), returns: ["Milk"])
///     Example(AddNote(text: "Bread"), throws: AuthorizationError.unauthenticated)
///     Example(AddNote(text: ""), throws: EmptyNote()).sent(by: ada)
///     Example(AddNote(text: "Bread"), then: ListNotes(), returns: ["Milk", "Bread"]).sent(by: ada)
/// }
///
/// try await suite.check(
///     in: .http(),
///     .cache {
///         try QueryCache(in: .memory(limit: .entries(100))) {
///             Cache(ListNotes.self, .maxAge(.minutes(5)), scope: .shared)
///             Invalidate(ListNotes.self, after: AddNote.self, RemoveNote.self)
///         }
///     },
///     .cluster()
/// ) { try makeNotes() }
/// ```
public struct MessageSuite: Sendable {
    package let examples: [Example]

    let api: MessageAPI

    /// Creates a suite for the messages of a list, whose rules apply in every place.
    public init(_ api: MessageAPI, @ListBuilder<Example> _ examples: () -> [Example]) {
        self.api = api
        self.examples = examples()
    }

    package var messageNames: Set<String> { Set(examples.flatMap(\.steps).map(\.name)) }

    /// Runs all examples in this process and in other places, and compares the outcomes.
    ///
    /// In this process an outcome must be the expected one. In another place it must be the same as in this process:
    /// an equal value, or an equal error of the same type. A message must also arrive there with all properties.
    ///
    /// - Parameters:
    ///   - places: The other places. Each one that the traits provide is listed, or left out with
    ///     ``Place/skipping(_:because:)``.
    ///   - makeDispatcher: Returns a dispatcher with its initial state. It is called once for each example in each
    ///     place, so that no example sees the changes of another one.
    /// - Throws: ``MessageDifferences``; the error of `makeDispatcher`.
    public func check(in places: Place..., makeDispatcher: () async throws -> any Dispatcher) async throws {
        let missing = Place.required.subtracting(places.map(\.name)).sorted { $0.rawValue < $1.rawValue }
        var findings = missing.map(Finding.init(missing:))
        if examples.isEmpty { findings.append(.noExamples) }
        var broken: Set<Place.Name> = []
        for example in examples {
            try Task.checkCancellation()
            let dispatcher = try await makeDispatcher()
            let outcomes = await example.send { await example.outcomes(from: dispatcher.authorizing(api)) }
            let expected = example.steps.map(\.expected)
            let local = Visit(example: example, place: .process, suite: self, expected: expected)
            findings += outcomes.enumerated().compactMap { local.finding($0, $1) }
            for place in places where !example.skipped.contains(place.name) && !broken.contains(place.name) {
                guard let visit = place.visit else { continue }
                let dispatcher = try await makeDispatcher()
                do {
                    let other = Visit(example: example, place: place.name, suite: self, expected: outcomes)
                    findings += try await example.send { try await visit(other, dispatcher) }
                        .filter { new in !findings.contains { new.repeats($0) } }
                } catch {
                    try Task.checkCancellation()
                    findings.append(Finding(place.name, cannotOpen: error))
                    broken.insert(place.name)
                }
            }
        }
        guard findings.isEmpty else { throw MessageDifferences(findings: findings) }
    }
}

extension Example {
    /// Dispatches the messages in this process, up to the first command that fails.
    func outcomes(from dispatcher: any Dispatcher) async -> [StepOutcome] {
        var outcomes: [StepOutcome] = []
        for step in steps {
            outcomes.append(await step.performHere(dispatcher))
            if outcomes.last?.error != nil { break }
        }
        return outcomes
    }
}

struct Visit {
    let example: Example
    let place: Place.Name
    let suite: MessageSuite
    let expected: [StepOutcome]

    func finding(
        _ index: Int,
        _ actual: StepOutcome,
        advice: (_ expected: StepOutcome) -> String? = { _ in nil }
    ) -> Finding? {
        // In this process an earlier message had failed, which has been found.
        guard expected.indices.contains(index) else { return nil }
        guard let difference = expected[index].difference(from: actual) else { return nil }
        return Finding(
            self,
            index,
            expected: expected[index],
            actual: actual,
            difference: difference,
            advice: advice(expected[index])
        )
    }

    /// Dispatches the messages through a carrier, and returns the differences.
    ///
    /// - Parameter declaration: Says how to declare an error that arrives as one of another type.
    func findings(
        through carrier: any Dispatcher,
        to destination: ArrivalDispatcher,
        declaration: (_ step: ExampleStep, _ error: any Error) -> String
    ) async -> [Finding] {
        var findings: [Finding] = []
        for (index, step) in example.steps.enumerated() {
            destination.forget()
            let outcome = await step.perform(carrier)
            if let difference = destination.arrived.lazy.compactMap(step.difference).first {
                findings.append(Finding(self, index, arrived: difference))
            }
            let finding = finding(index, outcome) { expected in
                if outcome.error is MessageAPIError { return "Or leave it out: .skipping(.\(place), because: …)" }
                guard let actual = outcome.error, let error = expected.error, type(of: error) != type(of: actual) else {
                    return nil
                }
                return declaration(step, error)
            }
            if let finding { findings.append(finding) }
            if outcome.error != nil { break }
        }
        return findings
    }
}
