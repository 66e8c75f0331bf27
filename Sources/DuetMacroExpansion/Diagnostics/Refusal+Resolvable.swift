import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What `@Resolvable` cannot make of a type.
extension Refusal {
    static func notResolvable(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Refusal {
        Refusal(
            "notResolvable",
            at: attribute,
            "@Resolvable makes structs, classes and actors; \(declaration.phrase) has nothing to be given",
            fixIts: .removal(of: attribute, from: declaration)
        )
    }

    static func conditionalMembers(_ condition: IfConfigDeclSyntax) -> Refusal {
        Refusal(
            "conditionalMembers",
            at: condition,
            "@Resolvable cannot tell which stored properties and initialisers '#if' leaves; move them out of it"
        )
    }

    static func noncopyable(_ type: InheritedTypeSyntax) -> Refusal {
        Refusal(
            "noncopyable",
            at: type,
            "a scope gives copies of what it made, so a @Resolvable type cannot be '\(type.type.trimmedDescription)'"
        )
    }

    static func privateType(_ modifier: DeclModifierSyntax) -> Refusal {
        let wider = modifier.with(\.name.tokenKind, .keyword(.fileprivate))
        return Refusal(
            "privateType",
            at: modifier,
            "the extension that makes a type Resolvable cannot reach one that is private within another; "
                + "make it fileprivate",
            fixIts: [.replace("make it fileprivate", modifier, with: wider)]
        )
    }

    static func privateContext(_ attribute: AttributeSyntax, _ name: String) -> Refusal {
        Refusal(
            "privateContext",
            at: attribute,
            "the extension that makes a type Resolvable cannot reach into the private '\(name)'; make that fileprivate"
        )
    }

    static func distributedActor(_ modifier: DeclModifierSyntax) -> Refusal {
        Refusal(
            "distributedActor",
            at: modifier,
            "@Resolvable cannot tell where a distributed actor's system comes from; write an initialiser that takes it"
        )
    }

    static func initializerWithoutDependencies(_ initializer: InitializerDeclSyntax) -> Refusal {
        let text = "init(from:) is written by hand, so what it resolves has to be too; add 'static var dependencies'"
        guard let members = initializer.parent?.parent?.as(MemberBlockItemListSyntax.self) else {
            return Refusal("initializerWithoutDependencies", at: initializer.initKeyword, text)
        }
        let added = MemberBlockItemSyntax(
            leadingTrivia: members.first?.leadingTrivia ?? .newline,
            decl: DeclSyntax("static var dependencies: [Dependency] { [] }")
        )
        let fixIt = FixIt(
            message: Message(id: "fixIt", text: "add 'dependencies'"),
            changes: [.replace(oldNode: Syntax(members), newNode: Syntax([added] + members))]
        )
        return Refusal("initializerWithoutDependencies", at: initializer.initKeyword, text, fixIts: [fixIt])
    }
}

extension ResolvableType {
    /// What is refused whatever the type's initialisers are.
    var unsupported: [Refusal] {
        var refusals: [Refusal] = []
        let suppressed = declaration.inheritanceClause?.inheritedTypes.first { $0.type.is(SuppressedTypeSyntax.self) }
        if let suppressed { refusals.append(.noncopyable(suppressed)) }
        if let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.distributed) }),
            initializers.isEmpty, ownInitializer == nil
        {
            refusals.append(.distributedActor(modifier))
        }
        return refusals + declaration.conditionalState.map(Refusal.conditionalMembers)
    }

    /// What is refused because an extension, which stands outside of every type, could not name the type.
    func unreachable(within context: [Syntax], _ attribute: AttributeSyntax) -> [Refusal] {
        let types = context.filter { $0.isProtocol((any DeclGroupSyntax).self) }
        if let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            !types.isEmpty
        {
            return [.privateType(modifier)]
        }
        let hidden = types.dropLast().first {
            $0.asProtocol((any WithModifiersSyntax).self)?.modifiers.contains(.private) == true
        }
        guard let name = hidden?.asProtocol((any NamedDeclSyntax).self)?.name.text else { return [] }
        return [.privateContext(attribute, name)]
    }
}
