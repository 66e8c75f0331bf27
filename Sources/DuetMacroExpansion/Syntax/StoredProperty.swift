import SwiftSyntax

/// One stored property, wherever on its line it is declared.
struct StoredProperty {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The type it is declared with; it may stand behind a later name on the line, as in `let a, b: Int`.
    let type: TypeSyntax?

    var name: TokenSyntax? { binding.pattern.as(IdentifierPatternSyntax.self)?.identifier }
    var isVariable: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.var) }
    var hasDefault: Bool { binding.initializer != nil }
}

extension DeclGroupSyntax {
    /// The properties that an instance stores and an initialiser has to set or may leave at their default.
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
        // A weak variable begins as nil; a weak constant has to be set.
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
    /// Whether the property has accessors of its own; observers alone leave it stored.
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
