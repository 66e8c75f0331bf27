import DuetMacroExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

/// The compiler plugin that expands the macros.
///
/// The expansions are a library, so that their tests do not rebuild everything for the compiler's own platform. The
/// compiler looks up macros in the plugin's module, so each type below forwards to the expansion of the same name.
@main
struct DuetMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        DispatcherMacro.self,
        InjectMacro.self,
        NamedMacro.self,
        ResolvableMacro.self,
        ResolvedScopeMacro.self,
    ]
}

enum DispatcherMacro: ForwardingMemberMacro {
    typealias Expansion = DuetMacroExpansion.DispatcherMacro
}

enum InjectMacro: ForwardingPeerMacro {
    typealias Expansion = DuetMacroExpansion.InjectMacro
}

enum NamedMacro: ForwardingPeerMacro {
    typealias Expansion = DuetMacroExpansion.NamedMacro
}

enum ResolvedScopeMacro: ForwardingMemberMacro {
    typealias Expansion = DuetMacroExpansion.ResolvedScopeMacro
}

enum ResolvableMacro: ForwardingMemberMacro, ExtensionMacro {
    typealias Expansion = DuetMacroExpansion.ResolvableMacro

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try Expansion.expansion(
            of: node,
            attachedTo: declaration,
            providingExtensionsOf: type,
            conformingTo: protocols,
            in: context
        )
    }
}

protocol ForwardingMemberMacro: MemberMacro {
    associatedtype Expansion: MemberMacro
}

extension ForwardingMemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try Expansion.expansion(of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
    }
}

protocol ForwardingPeerMacro: PeerMacro {
    associatedtype Expansion: PeerMacro
}

extension ForwardingPeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try Expansion.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}
