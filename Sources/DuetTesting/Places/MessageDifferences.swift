/// The outcomes of a ``MessageSuite`` that are not the expected ones, or differ between places.
public struct MessageDifferences: Error, CustomStringConvertible {
    /// All of them, in the order of the examples.
    public let findings: [Finding]

    /// The findings, one per line.
    public var description: String { findings.map(\.description).joined(separator: "\n") }
}

/// A difference that a ``MessageSuite`` found.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The place with the difference.
    public let place: Place.Name

    /// The name of the message; nil if the place as a whole is concerned.
    public let message: String?

    /// The message, its place, the expected and the actual outcome, and what to do if that is known.
    public let description: String

    private init(_ place: Place.Name, message: String? = nil, _ description: String) {
        self.place = place
        self.message = message
        self.description = description
    }
}

extension Finding {
    static let noExamples = Finding(.process, "The suite has no examples.")

    init(missing place: Place.Name) {
        self.init(
            place,
            """
            The suite does not run \(place.text). Pass .\(place)(…), or leave it out: \
            .skipping(.\(place), because: …)
            """
        )
    }

    init(_ place: Place.Name, cannotOpen error: any Error) {
        self.init(place, "The suite cannot run \(place.text): \(Outcome.text(of: error, named: true))")
    }

    /// A difference between outcomes.
    init(
        _ visit: Visit,
        _ index: Int,
        _ expected: Outcome,
        _ actual: Outcome,
        _ difference: Outcome.Difference,
        advice: String?
    ) {
        let source = visit.place == .process ? "" : " as in this process"
        self.init(
            visit,
            index,
            "expected \(expected.text)\(source), found \(actual.text).",
            difference.details(beside: expected.text, actual.text),
            advice
        )
    }

    /// A message that arrived with another content.
    init(_ visit: Visit, _ index: Int, arrived difference: Outcome.Difference) {
        self.init(
            visit,
            index,
            "the message arrives with other properties.",
            difference.path.isEmpty
                ? "Expected \(difference.expected), found \(difference.actual)." : difference.details,
            "Encode and decode all of its properties."
        )
    }

    /// A cached query that the command of an example changed, although no rule covers it.
    init(_ visit: Visit, uncovered description: String) {
        self.init(visit, 0, description)
    }

    private init(_ visit: Visit, _ index: Int, _ sentences: String?...) {
        let steps = visit.example.steps
        let text = (["\(visit.example.text), \(visit.place.text):"] + sentences).compactMap(\.self)
        self.init(visit.place, message: steps[index].name, text.joined(separator: " "))
    }
}

extension Outcome.Difference {
    fileprivate var details: String { "They differ at \(path): expected \(expected), found \(actual)." }

    /// The path of the difference if the texts of the values do not show it.
    fileprivate func details(beside expectedText: String, _ actualText: String) -> String? {
        guard !path.isEmpty, expectedText == actualText || max(expectedText.count, actualText.count) > 120 else {
            return nil
        }
        return details
    }
}
