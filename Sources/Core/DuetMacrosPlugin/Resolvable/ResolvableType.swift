import SwiftSyntax

/// A type with the attribute `@Resolvable`, as far as its declaration shows.
struct ResolvableType {
    let declaration: any DeclGroupSyntax
    let name: TokenSyntax
    let isClass: Bool
    let isFinal: Bool
    /// The superclass, if it is resolvable itself; its dependencies come first.
    let superclass: String?

    init(_ declaration: some DeclGroupSyntax, isConforming: Bool) {
        self.declaration = declaration
        name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.trimmed ?? .identifier("Self")
        isClass = declaration.is(ClassDeclSyntax.self)
        isFinal = declaration.modifiers.contains(.final)
        let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        // A class that declares the conformance itself cannot inherit it.
        let isDeclared = inherited.contains("Resolvable") || inherited.contains("DuetDependencies.Resolvable")
        superclass = isClass && isConforming && !isDeclared ? inherited.first : nil
    }

    var isSubclass: Bool { superclass != nil }

    private var initializers: [InitializerDeclSyntax] {
        declaration.memberBlock.members
            .compactMap { $0.decl.as(InitializerDeclSyntax.self) }
            .filter { !$0.isFromScope }
    }

    /// The initializers marked with `@Inject`, or all that `@Resolvable` can call.
    ///
    /// One that may return nil is used only if there is no other.
    var candidates: [InitializerDeclSyntax] {
        let marked = initializers.filter { !$0.attributes.named("Inject").isEmpty }
        if !marked.isEmpty { return marked }
        let designated = initializers.filter { !$0.modifiers.contains(.convenience) }
        let usable = designated.filter { $0.optionalMark == nil }
        return usable.isEmpty ? Array(designated.prefix(1)) : usable
    }

    /// The hand-written `init(from scope: Scope)`, if any.
    var ownInitializer: InitializerDeclSyntax? {
        declaration.memberBlock.members.lazy
            .compactMap { $0.decl.as(InitializerDeclSyntax.self) }
            .first(where: \.isFromScope)
    }

    var hasOwnDependencies: Bool {
        declaration.memberBlock.members.lazy
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .contains { variable in
                variable.isStatic && variable.bindings.contains { $0.pattern.trimmedDescription == "dependencies" }
            }
    }
}

extension InitializerDeclSyntax {
    /// Whether this is the initializer that `Resolvable` requires.
    fileprivate var isFromScope: Bool {
        let parameters = signature.parameterClause.parameters
        guard parameters.count == 1, let only = parameters.first, only.firstName.text == "from" else { return false }
        return ["Scope", "DuetDependencies.Scope"].contains(only.type.trimmedDescription)
    }

    var signatureName: String {
        "init(" + signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined() + ")"
    }

    var isThrowing: Bool { signature.effectSpecifiers?.throwsClause != nil }
    var isAsync: Bool { signature.effectSpecifiers?.asyncSpecifier != nil }
}
