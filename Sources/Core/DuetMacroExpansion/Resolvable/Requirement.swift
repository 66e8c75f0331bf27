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

extension FunctionParameterSyntax {
    /// Returns the type to resolve for this parameter.
    ///
    /// The type excludes attributes and specifiers for passing the argument, such as `@escaping`, `sending`, and
    /// `consuming`.
    func dependency() throws(MacroDiagnostic) -> TypeSyntax {
        if let ellipsis { throw .variadicParameter(self, ellipsis) }
        if type.is(PackExpansionTypeSyntax.self) { throw .unresolvableParameter(self, "a parameter pack") }
        if let opaque = type.opaque { throw .opaqueType(opaque) }
        guard let attributed = type.as(AttributedTypeSyntax.self) else { return type.resolved }

        var specifiers: [TypeSpecifierListSyntax.Element] = []
        for element in attributed.specifiers {
            switch element.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind {
            case .keyword(.inout): throw .unresolvableParameter(self, "an 'inout' parameter")
            case .keyword(.isolated): throw .unresolvableParameter(self, "an 'isolated' parameter")
            // `nonisolated(nonsending)` is part of a function type.
            case nil: specifiers.append(element)
            default: break
            }
        }
        if !attributed.attributes.named("autoclosure").isEmpty {
            throw .unresolvableParameter(self, "an '@autoclosure' parameter")
        }
        let attributes = attributed.attributes.filter { $0.as(AttributeSyntax.self)?.name != "escaping" }
        if specifiers.isEmpty, attributes.isEmpty, attributed.lateSpecifiers.isEmpty {
            return attributed.baseType.resolved
        }
        let remaining = attributed.trimmed
            .with(\.specifiers, TypeSpecifierListSyntax(specifiers))
            .with(\.attributes, attributes)
        return TypeSyntax(remaining)
    }
}

extension StoredProperty {
    /// Attributes that do not change how a property is stored.
    private static let harmless: Set<String> = [
        "Named", "available", "nonobjc", "objc", "preconcurrency", "usableFromInline",
    ]

    /// Returns the dependency to resolve for this property, or nil if it keeps its default value.
    func requirement() throws(MacroDiagnostic) -> Requirement? {
        if hasDefault { return nil }
        guard let name else { throw .patternProperty(self) }
        guard let type else { throw .untypedProperty(self) }
        if let opaque = type.opaque { throw .opaqueType(opaque) }
        if let attribute = declaration.attributes.all.first(where: {
            !Self.harmless.contains($0.name) && !$0.isGlobalActor
        }) {
            throw .wrappedProperty(self, attribute)
        }
        let registration = declaration.attributes.named("Named").first?.arguments?
            .as(LabeledExprListSyntax.self)?.first?.expression
        return Requirement(name: name.text, type: type.resolved, registration: registration)
    }
}
