/// The outcomes of a ``MessageSuite`` that are not the expected ones, or differ between places.
public struct MessageDifferences: Error, CustomStringConvertible {
    /// All of them, in the order of the examples.
    package let findings: [Finding]

    /// The findings, each on some lines.
    public var description: String { findings.map(\.description).joined(separator: "\n") }
}

package struct Finding: Hashable, Sendable, CustomStringConvertible {
    package let place: Place.Name

    /// The name of the message; nil if the place as a whole is concerned.
    package let message: String?

    /// The message, its place, the expected and the actual outcome, and what to do if that is known.
    package let description: String

    /// The missing rule of a cache, if that is the cause.
    private(set) var rule: String?

    /// - Parameter lines: The lines after the first one.
    init(_ place: Place.Name, message: String? = nil, _ title: String, _ lines: [String?] = []) {
        self.place = place
        self.message = message
        description = ([title] + lines.compactMap { $0.map { "    \($0)" } }).joined(separator: "\n")
    }
}

extension Finding {
    static let noExamples = Finding(.process, "The suite has no examples.")

    init(missing place: Place.Name) {
        self.init(
            place,
            "The suite does not run \(place.text).",
            ["Pass .\(place)(…), or leave it out: .skipping(.\(place), because: …)"]
        )
    }

    init(_ place: Place.Name, cannotOpen error: any Error) {
        self.init(place, "The suite cannot run \(place.text).", [StepOutcome.text(of: error, named: true)])
    }

    init(
        _ visit: Visit,
        _ index: Int,
        expected: StepOutcome,
        actual: StepOutcome,
        difference: StepOutcome.Difference,
        advice: String?
    ) {
        let reference = visit.place == .process ? "" : ", as in this process"
        self.init(
            visit,
            index,
            [
                "expected \(expected.text)\(reference)",
                "found    \(actual.text)",
                difference.details(beside: expected.text, actual.text),
                advice,
            ]
        )
    }

    init(_ visit: Visit, _ index: Int, arrived difference: StepOutcome.Difference) {
        self.init(
            visit,
            index,
            ["The message arrived with other properties. Encode and decode all of them.", difference.details]
        )
    }

    func caused(byMissing rule: String?) -> Finding {
        var finding = self
        finding.rule = rule
        return finding
    }

    func repeats(_ other: Finding) -> Bool { self == other || (rule != nil && rule == other.rule) }

    /// - Parameter index: The number of the message in the example.
    init(_ visit: Visit, _ index: Int, _ lines: [String?]) {
        let title = "\(visit.example.text), \(visit.place.text):"
        self.init(visit.place, message: visit.example.steps[index].name, title, lines)
    }
}

extension StepOutcome.Difference {
    var details: String {
        let place = path.isEmpty ? "" : "at \(path): "
        return "\(place)expected \(expected), found \(actual)"
    }

    /// The path of the difference if the texts of the values do not show it.
    fileprivate func details(beside expectedText: String, _ actualText: String) -> String? {
        guard !path.isEmpty, expectedText == actualText || max(expectedText.count, actualText.count) > 120 else {
            return nil
        }
        return details
    }
}
