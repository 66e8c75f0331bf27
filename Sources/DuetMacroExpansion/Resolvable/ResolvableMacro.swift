package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Makes a type `Resolvable`.
///
/// A struct gets its members in an extension, because an initialiser within would take its memberwise initialiser away.
/// A class and an actor can have them only within. So each kind has one role that makes the members and diagnoses.
package enum ResolvableMacro {
    private static func plan(
        _ declaration: some DeclGroupSyntax,
        _ attribute: AttributeSyntax,
        isConforming: Bool,
        in context: some MacroExpansionContext
    ) -> ResolvablePlan {
        let type = ResolvableType(declaration, isConforming: isConforming)
        return ResolvablePlan(type, attribute: attribute, within: context.lexicalContext)
    }
}

extension ResolvableMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The compiler asks for the members of an enum only once nothing else is wrong, so that is diagnosed below.
        if declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) { return [] }
        guard declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) else {
            context.diagnose([.notResolvable(node, declaration)])
            return []
        }
        let plan = plan(declaration, node, isConforming: protocols.isEmpty, in: context)
        context.diagnose(plan.refusals)
        return plan.members
    }
}

extension ResolvableMacro: ExtensionMacro {
    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        if declaration.is(EnumDeclSyntax.self) { context.diagnose([.notResolvable(node, declaration)]) }
        let isStruct = declaration.is(StructDeclSyntax.self)
        guard isStruct || declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) else {
            return []
        }
        let plan = plan(declaration, node, isConforming: protocols.isEmpty, in: context)
        if isStruct { context.diagnose(plan.refusals) }
        let members = isStruct ? plan.members : []
        guard plan.refusals.isEmpty, !protocols.isEmpty || !members.isEmpty else { return [] }

        let conformance = protocols.isEmpty ? "" : ": DuetDependencies.Resolvable"
        let body = members.isEmpty ? "{}" : "{\n\(members.map(\.description).joined(separator: "\n\n"))\n}"
        // An extension has to be as available as what it extends.
        let available = declaration.attributes.named("available").map { $0.trimmedDescription + "\n" }.joined()
        let source: DeclSyntax = "\(raw: available)extension \(type.trimmed)\(raw: conformance) \(raw: body)"
        return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}
