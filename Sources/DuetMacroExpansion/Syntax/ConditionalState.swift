import SwiftSyntax

extension DeclGroupSyntax {
    /// The `#if`s that hide stored properties or initialisers from a macro, which sees both branches.
    var conditionalState: [IfConfigDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }.filter(\.hidesState)
    }
}

extension IfConfigDeclSyntax {
    /// Whether stored properties or initialisers are within.
    fileprivate var hidesState: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { member in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) { return nested.hidesState }
                if let variable = member.decl.as(VariableDeclSyntax.self) { return !variable.storedProperties.isEmpty }
                return member.decl.is(InitializerDeclSyntax.self)
            }
        }
    }
}
