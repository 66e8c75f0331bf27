/// A name that tells registrations of one type apart.
///
/// Write it as a literal, or give it a constant in an extension, which a spelling mistake cannot miss:
///
/// ```swift
/// extension DependencyName {
///     static let replica: DependencyName = "replica"
/// }
/// ```
public struct DependencyName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// Makes a name of a text.
    public init(_ name: String) {
        description = name
    }

    /// Makes a name of a literal.
    public init(stringLiteral name: String) {
        description = name
    }
}
