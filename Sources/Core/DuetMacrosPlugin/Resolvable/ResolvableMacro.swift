import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds the conformance to `Resolvable` and its members.
///
/// A struct gets its members in an extension, because an initializer in the struct would remove its memberwise
/// initializer. Classes and actors can have them only in the declaration. Therefore, one role for each kind generates
/// the members and reports errors.
enum ResolvableMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The compiler requests the members of an enum only when there are no other errors, so the extension role
        // reports it.
        if declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) { return [] }
        guard declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) else {
            context.diagnose(.notResolvable(declaration, node))
            return []
        }
        let plan = ResolvablePlan(declaration, node, isConforming: protocols.isEmpty)
        context.diagnose(plan.diagnostics)
        return plan.members
    }
}

extension ResolvableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        if declaration.is(EnumDeclSyntax.self) { context.diagnose(.notResolvable(declaration, node)) }
        let isStruct = declaration.is(StructDeclSyntax.self)
        guard isStruct || declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) else {
            return []
        }
        let plan = ResolvablePlan(declaration, node, isConforming: protocols.isEmpty)
        if isStruct { context.diagnose(plan.diagnostics) }
        let members = isStruct ? plan.members : []
        guard plan.diagnostics.isEmpty, !protocols.isEmpty || !members.isEmpty else { return [] }

        let conformance = protocols.isEmpty ? "" : ": DuetDependencies.Resolvable"
        let body = members.isEmpty ? "{}" : "{\n\(members.map(\.description).joined(separator: "\n\n"))\n}"
        // An extension must be as available as its type.
        let available = declaration.attributes.named("available").map { $0.trimmedDescription + "\n" }.joined()
        let source: DeclSyntax = "\(raw: available)extension \(type.trimmed)\(raw: conformance) \(raw: body)"
        return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}

extension Diagnostic {
    fileprivate static func notResolvable(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> Self {
        .wrongKind(of: declaration, attribute, needs: "a struct, class or actor")
    }
}
