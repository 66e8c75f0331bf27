import SwiftSyntax

extension FunctionParameterSyntax {
    /// The type that is resolved for this parameter.
    ///
    /// What says how the argument is passed (`@escaping`, `sending`, `consuming`) is no part of it.
    func dependency() throws(Refusal) -> TypeSyntax {
        if let ellipsis { throw .variadicParameter(self, ellipsis) }
        if type.is(PackExpansionTypeSyntax.self) { throw .unresolvableParameter(self, "a parameter pack") }
        if let opaque = type.opaque { throw .opaqueType(opaque) }
        guard let attributed = type.as(AttributedTypeSyntax.self) else { return type.resolved }

        var specifiers: [TypeSpecifierListSyntax.Element] = []
        for element in attributed.specifiers {
            switch element.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind {
            case .keyword(.inout): throw .unresolvableParameter(self, "an 'inout' parameter")
            case .keyword(.isolated): throw .unresolvableParameter(self, "an 'isolated' parameter")
            // `nonisolated(nonsending)` belongs to the type of a function.
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
