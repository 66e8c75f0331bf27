package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Adds one `dispatch` method for each handler's message to a struct of handlers.
package enum DispatcherMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            context.diagnose([.notADispatcher(node, declaration)])
            return []
        }
        var diagnostics = structure.conformances.map(MacroDiagnostic.conformingDispatcher)
        diagnostics += structure.conditionalState.map(MacroDiagnostic.conditionalHandlers)
        var handlers: [DispatchedHandler] = []
        for property in structure.storedProperties {
            do {
                handlers.append(try DispatchedHandler(property, among: handlers))
            } catch {
                diagnostics.append(error)
            }
        }
        if handlers.isEmpty, diagnostics.isEmpty { diagnostics.append(.noHandlers(node, structure)) }
        guard diagnostics.isEmpty else {
            context.diagnose(diagnostics)
            return []
        }
        let access = structure.modifiers.memberAccess
        return handlers.map { $0.dispatch(access) } + [dispatcher(handlers, access)]
    }

    private static func dispatcher(_ handlers: [DispatchedHandler], _ access: String) -> DeclSyntax {
        let lines = handlers.map { "self.\($0.name)" }.joined(separator: "\n            ")
        return """
            \(raw: access)nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                get throws {
                    try Duet.StandardDispatcher {
                        \(raw: lines)
                    }
                }
            }
            """
    }
}

extension StructDeclSyntax {
    /// The dispatcher protocols that the struct conforms to, each of which would let every message compile.
    fileprivate var conformances: [InheritedTypeSyntax] {
        let names = ["CommandDispatcher", "QueryDispatcher", "CommandQueryDispatcher"].flatMap { [$0, "Duet.\($0)"] }
        return inheritanceClause?.inheritedTypes.filter { names.contains($0.type.trimmedDescription) } ?? []
    }
}

/// A handler that a stored property of a `@Dispatcher` struct holds.
struct DispatchedHandler {
    let name: String
    let type: String
    /// The expression for the type of its message.
    let message: String

    init(_ property: StoredProperty, among others: [DispatchedHandler]) throws(MacroDiagnostic) {
        guard let name = property.name else { throw .patternHandler(property) }
        guard let type = property.type else { throw .untypedHandler(property) }
        if ["dispatch", "dispatcher"].contains(name.text) { throw .reservedHandlerName(name) }
        self.name = name.text
        self.type = type.withoutParentheses.trimmedDescription
        message = try Self.message(type.withoutParentheses)
        if let other = others.first(where: { $0.type == self.type }) { throw .handlerTwice(name, other.name) }
    }

    func dispatch(_ access: String) -> DeclSyntax {
        """
        @inline(__always)
        \(raw: access)nonisolated(nonsending) func dispatch(
            _ message: \(raw: message)
        ) async throws -> \(raw: message).Value {
            try await self.\(raw: name).handle(message)
        }
        """
    }

    private static func message(_ type: TypeSyntax) throws(MacroDiagnostic) -> String {
        if type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self) {
            return "\(type.trimmedDescription).Message"
        }
        guard let wrapped = type.as(SomeOrAnyTypeSyntax.self) else { throw .notAHandler(type) }
        if wrapped.someOrAnySpecifier.tokenKind == .keyword(.some) { throw .opaqueHandler(wrapped) }

        let parts = wrapped.constraint.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [wrapped.constraint]
        guard let message = parts.lazy.compactMap(\.handledMessage).first else { throw .unnamedMessage(wrapped) }
        let isSendable = parts.contains { ["Sendable", "Swift.Sendable"].contains($0.trimmedDescription) }
        if !isSendable { throw .nonSendableHandler(wrapped) }
        return message.trimmedDescription
    }
}

extension TypeSyntax {
    /// The argument `M` of `QueryHandler<M>` or `CommandHandler<M>`.
    fileprivate var handledMessage: GenericArgumentSyntax.Argument? {
        let named = self.as(IdentifierTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        let member = self.as(MemberTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        guard let (name, clause) = named ?? member, ["QueryHandler", "CommandHandler"].contains(name.text) else {
            return nil
        }
        return clause?.arguments.first?.argument
    }
}
