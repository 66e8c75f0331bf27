/// What a store did that its contract does not allow.
public struct ContractViolation: Error, CustomStringConvertible {
    /// What was expected and what happened.
    public let description: String

    /// Makes a violation with its description.
    public init(_ description: String) {
        self.description = description
    }
}

/// Checks that two values are equal.
///
/// - Throws: ``ContractViolation``.
package func expect<Value: Equatable>(_ actual: Value, toBe expected: Value, _ what: String) throws {
    guard actual == expected else {
        throw ContractViolation("\(what): expected \(text(expected)), found \(text(actual))")
    }
}

/// A value as one reads it: what is optional is itself, or nil.
private func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(value)" }
    return mirror.children.first.map { text($0.value) } ?? "nil"
}

/// Checks that something fails.
///
/// - Returns: The error's description.
/// - Throws: ``ContractViolation`` when it does not.
@discardableResult
package func expectFailure(_ what: String, _ body: () async throws -> Void) async throws -> String {
    do {
        try await body()
    } catch {
        return String(describing: error)
    }
    throw ContractViolation("\(what): expected an error, found none")
}
