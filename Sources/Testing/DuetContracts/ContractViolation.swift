/// An error that describes behavior that a contract does not allow.
public struct ContractViolation: Error, CustomStringConvertible {
    /// The expected and the actual behavior.
    public let description: String

    /// Creates a violation with its description.
    public init(_ description: String) {
        self.description = description
    }
}

/// Checks that two values are equal.
///
/// - Throws: ``ContractViolation``.
package func require<Value: Equatable>(_ actual: Value, toBe expected: Value, _ what: String) throws {
    guard actual == expected else {
        throw ContractViolation("\(what): expected \(text(expected)), found \(text(actual))")
    }
}

/// Checks that a condition holds.
///
/// - Throws: ``ContractViolation``.
package func require(_ condition: Bool, _ what: String) throws {
    try require(condition, toBe: true, what)
}

/// Returns the description of a value, without the wrapping of an optional.
private func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(value)" }
    return mirror.children.first.map { text($0.value) } ?? "nil"
}

/// Checks that an operation throws.
///
/// - Returns: The description of the error.
/// - Throws: ``ContractViolation`` if the operation succeeds.
@discardableResult
package func expectFailure(_ what: String, _ body: () async throws -> Void) async throws -> String {
    do {
        try await body()
    } catch {
        return String(describing: error)
    }
    throw ContractViolation("\(what): expected an error, found none")
}
