import SwiftSyntax

struct StoredProperty {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The declared type, which may follow a later name in the declaration, as in `let a, b: Int`.
    let type: TypeSyntax?

    var name: TokenSyntax? { binding.pattern.as(IdentifierPatternSyntax.self)?.identifier }
    var hasDefault: Bool { binding.initializer != nil }
}

extension DeclGroupSyntax {
    /// The stored properties that an initializer must set or may leave at their default values.
    var storedProperties: [StoredProperty] {
        memberBlock.members
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .flatMap(\.storedProperties)
    }
}

extension VariableDeclSyntax {
    var isStatic: Bool { modifiers.contains(.static) || modifiers.contains(.class) }

    var storedProperties: [StoredProperty] {
        if isStatic || modifiers.contains(.lazy) || modifiers.contains(.override) { return [] }
        // A weak variable starts as nil; a weak constant must be set.
        if modifiers.contains(.weak), bindingSpecifier.tokenKind == .keyword(.var) { return [] }
        var type: TypeSyntax?
        return bindings.reversed()
            .compactMap { binding in
                type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
                return binding.isComputed ? nil : StoredProperty(declaration: self, binding: binding, type: type)
            }
            .reversed()
    }
}

extension PatternBindingSyntax {
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            accessors.contains {
                ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension DeclGroupSyntax {
    /// The `#if` blocks with stored properties or initializers, which a macro sees in both branches.
    var conditionalState: [IfConfigDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }.filter(\.hidesState)
    }
}

extension IfConfigDeclSyntax {
    /// Whether the block contains stored properties or initializers.
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
