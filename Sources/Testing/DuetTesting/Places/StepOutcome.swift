import Duet

/// The value or the error of a message, of any type.
struct StepOutcome {
    private struct Value<V: Sendable>: Sendable {
        let value: V
    }

    private enum Content {
        /// A `Value` of the type of the message.
        case value(any Sendable)
        case failure(any Error)
    }

    private let content: Content
    let text: String
    private let compare: @Sendable (StepOutcome) -> Difference?

    static func value<V: Sendable>(_ value: V) -> StepOutcome {
        StepOutcome(content: .value(Value(value: value)), text: value is Void ? "success" : text(of: value)) { other in
            guard case .value(let other) = other.content, let other = other as? Value<V> else { return .kinds }
            return Difference(value, other.value)
        }
    }

    static func failure(_ error: any Error) -> StepOutcome {
        StepOutcome(content: .failure(error), text: "the error \(text(of: error, named: true))") { other in
            guard case .failure(let other) = other.content, type(of: other) == type(of: error) else { return .kinds }
            return Difference(error, other)
        }
    }

    static func of<V: Sendable>(_ operation: () async throws -> V) async -> StepOutcome {
        do { return .value(try await operation()) } catch { return .failure(error) }
    }

    var error: (any Error)? {
        if case .failure(let error) = content { error } else { nil }
    }

    /// Returns the difference from another outcome; nil if both are equal.
    func difference(from other: StepOutcome) -> Difference? { compare(other) }

    /// Returns a description of limited length.
    ///
    /// - Parameter named: Whether the description must contain the name of the type.
    static func text(of value: Any, named: Bool = false) -> String {
        var text = "\(value)"
        let type = "\(type(of: value))"
        if named, !text.contains(type) { text = "\(type) (\(text))" }
        return text.count > limit ? "\(text.prefix(limit))…" : text
    }

    private static let limit = 400
}

extension StepOutcome {
    struct Difference {
        /// The properties that lead to the difference; empty if the values differ as a whole.
        let path: String
        let expected: String
        let actual: String

        /// The difference between outcomes that are not comparable.
        static let kinds = Difference(path: "", expected: "", actual: "")

        private static func find(_ expected: Any, _ actual: Any, _ path: String, depth: Int) -> Difference? {
            let areEqual = areEqual(expected, actual)
            guard areEqual != true, depth < 32 else { return nil }
            let (left, right) = (Mirror(reflecting: expected), Mirror(reflecting: actual))
            let isOrdered = left.displayStyle != .set && left.displayStyle != .dictionary
            if isOrdered, left.children.count == right.children.count {
                for (index, (a, b)) in zip(left.children, right.children).enumerated() where a.label == b.label {
                    let path = left.displayStyle == .optional ? path : Self.path(path, a.label, index)
                    if let found = find(a.value, b.value, path, depth: depth + 1) { return found }
                }
            }
            let whole = Difference(path: path, expected: text(of: expected), actual: text(of: actual))
            return areEqual == false || whole.expected != whole.actual ? whole : nil
        }

        private static func path(_ path: String, _ label: String?, _ index: Int) -> String {
            guard let label else { return "\(path)[\(index)]" }
            return path.isEmpty ? label : "\(path).\(label)"
        }
    }
}

extension StepOutcome.Difference {
    /// Returns nil if the values are equal: by `==` if their type has it, otherwise by their properties.
    init?(_ expected: Any, _ actual: Any) {
        guard let found = Self.find(expected, actual, "", depth: 0) else { return nil }
        self = found
    }
}
