import SwiftSyntax

/// One thing that has to be resolved before a value can be made.
struct Requirement {
    /// The property that is set, or the label of the argument; nil for an argument without one.
    let name: String?
    let type: TypeSyntax
    /// The name of the registration, as written in `@Named`.
    var registration: ExprSyntax?

    private var arguments: String {
        type.metatype + (registration.map { ", named: \($0.trimmedDescription)" } ?? "")
    }

    /// The expression that resolves it, without `try await`.
    var resolution: String { "scope.resolve(\(arguments))" }

    /// The expression that declares it.
    var dependency: String { "DuetDependencies.Dependency(\(arguments))" }
}
