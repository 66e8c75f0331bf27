import SwiftSyntax

/// A dependency that must be resolved to create a value.
struct Requirement {
    /// The property to set, or the argument's label; nil for an argument without a label.
    let name: String?
    let type: TypeSyntax
    /// The name of the registration, as written in `@Named`.
    var registration: ExprSyntax?

    private var arguments: String {
        type.metatype + (registration.map { ", named: \($0.trimmedDescription)" } ?? "")
    }

    /// The expression that resolves the dependency, without `try await`.
    var resolution: String { "scope.resolve(\(arguments))" }

    /// The expression that declares the dependency.
    var dependency: String { "DuetDependencies.ResolvedDependency(\(arguments))" }
}

extension Requirement {
    init?(_ property: StoredProperty) {
        guard let name = property.name, let type = property.type else { return nil }
        let registration = property.declaration.attributes.named("Named").first?.arguments?
            .as(LabeledExprListSyntax.self)?.first?.expression
        self.init(name: name.text, type: type.resolved, registration: registration)
    }
}

extension FunctionParameterSyntax {
    /// The type to resolve for this parameter.
    ///
    /// It excludes attributes and specifiers for passing the argument, such as `@escaping`, `sending`, and
    /// `consuming`.
    var dependency: TypeSyntax {
        guard let attributed = type.as(AttributedTypeSyntax.self) else { return type.resolved }
        // `nonisolated(nonsending)` is part of a function type.
        let specifiers = attributed.specifiers.filter { !$0.is(SimpleTypeSpecifierSyntax.self) }
        let attributes = attributed.attributes.filter { $0.as(AttributeSyntax.self)?.name != "escaping" }
        if specifiers.isEmpty, attributes.isEmpty, attributed.lateSpecifiers.isEmpty {
            return attributed.baseType.resolved
        }
        let remaining = attributed.trimmed
            .with(\.specifiers, specifiers)
            .with(\.attributes, attributes)
        return TypeSyntax(remaining)
    }
}

extension StoredProperty {
    /// Attributes that do not change how a property is stored.
    private static let harmless: Set<String> = [
        "Named", "available", "nonobjc", "objc", "preconcurrency", "usableFromInline",
    ]

    /// The attribute that changes how the property is stored, so that it cannot be set.
    var wrapper: AttributeSyntax? {
        declaration.attributes.all.first { !Self.harmless.contains($0.name) && !$0.isGlobalActor }
    }
}
