package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Gives a struct of handlers one `dispatch` for each handler's message.
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
        var refusals = structure.conformances.map(Refusal.conformingDispatcher)
        refusals += structure.conditionalState.map(Refusal.conditionalHandlers)
        var handlers: [DispatchedHandler] = []
        for property in structure.storedProperties {
            do {
                handlers.append(try DispatchedHandler(property, among: handlers))
            } catch {
                refusals.append(error)
            }
        }
        if handlers.isEmpty, refusals.isEmpty { refusals.append(.noHandlers(node, structure)) }
        guard refusals.isEmpty else {
            context.diagnose(refusals)
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
    /// The dispatcher protocols that the struct declares, each of which would let every message compile.
    fileprivate var conformances: [InheritedTypeSyntax] {
        let names = ["CommandDispatcher", "QueryDispatcher", "CommandQueryDispatcher"].flatMap { [$0, "Duet.\($0)"] }
        return inheritanceClause?.inheritedTypes.filter { names.contains($0.type.trimmedDescription) } ?? []
    }
}
