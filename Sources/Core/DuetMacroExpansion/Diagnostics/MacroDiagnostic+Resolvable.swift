import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Errors about the type that `@Resolvable` is attached to.
extension MacroDiagnostic {
    static func notResolvable(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> MacroDiagnostic {
        let text = "@Resolvable supports structs, classes and actors; \(declaration.phrase) has no dependencies"
        return MacroDiagnostic(removing: attribute, from: declaration, text)
    }

    static func conditionalMembers(_ condition: IfConfigDeclSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: condition,
            "@Resolvable cannot evaluate '#if'; move stored properties and initializers out of it"
        )
    }

    static func noncopyable(_ type: InheritedTypeSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: type,
            "a scope returns copies, so a @Resolvable type must be copyable; remove '\(type.type.trimmedDescription)'"
        )
    }

    static func privateType(_ modifier: DeclModifierSyntax) -> MacroDiagnostic {
        let wider = modifier.with(\.name.tokenKind, .keyword(.fileprivate))
        return MacroDiagnostic(
            at: modifier,
            "the generated extension cannot access a private type within another type; make it fileprivate",
            fixIts: [.replace("make it fileprivate", modifier, with: wider)]
        )
    }

    static func privateContext(_ attribute: AttributeSyntax, _ name: String) -> MacroDiagnostic {
        MacroDiagnostic(
            at: attribute,
            "the generated extension cannot access the private type '\(name)'; make it fileprivate"
        )
    }

    static func distributedActor(_ modifier: DeclModifierSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: modifier,
            "@Resolvable cannot provide the actor system of a distributed actor; write an initializer that takes it"
        )
    }

    static func initializerWithoutDependencies(_ initializer: InitializerDeclSyntax) -> MacroDiagnostic {
        let text = "init(from:) is hand-written, so its dependencies must be, too; add 'static var dependencies'"
        guard let members = initializer.parent?.parent?.as(MemberBlockItemListSyntax.self) else {
            return MacroDiagnostic(at: initializer.initKeyword, text)
        }
        let added = MemberBlockItemSyntax(
            leadingTrivia: members.first?.leadingTrivia ?? .newline,
            decl: DeclSyntax("static var dependencies: [ResolvedDependency] { [] }")
        )
        let fixIt = FixIt(
            message: Message(id: "fixIt", text: "add 'dependencies'"),
            changes: [.replace(oldNode: Syntax(members), newNode: Syntax([added] + members))]
        )
        return MacroDiagnostic(at: initializer.initKeyword, text, fixIts: [fixIt])
    }
}

extension ResolvableType {
    /// Errors that do not depend on the type's initializers.
    var unsupported: [MacroDiagnostic] {
        var diagnostics: [MacroDiagnostic] = []
        let suppressed = declaration.inheritanceClause?.inheritedTypes.first { $0.type.is(SuppressedTypeSyntax.self) }
        if let suppressed { diagnostics.append(.noncopyable(suppressed)) }
        if let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.distributed) }),
            initializers.isEmpty, ownInitializer == nil
        {
            diagnostics.append(.distributedActor(modifier))
        }
        return diagnostics + declaration.conditionalState.map(MacroDiagnostic.conditionalMembers)
    }

    /// Errors because an extension, which is outside every type, cannot refer to the type.
    func unreachable(within context: [Syntax], _ attribute: AttributeSyntax) -> [MacroDiagnostic] {
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

/// Errors about the initializer that `@Resolvable` uses.
extension MacroDiagnostic {
    static func severalInitializers(
        _ initializers: [InitializerDeclSyntax],
        of type: ResolvableType,
        _ attribute: AttributeSyntax
    ) -> MacroDiagnostic {
        MacroDiagnostic(
            at: attribute,
            "'\(type.name.text)' has several initializers; mark the one @Resolvable should use with @Inject",
            fixIts: initializers.map(\.markedWithInject)
        )
    }

    static func injectTwice(_ initializer: InitializerDeclSyntax) -> MacroDiagnostic {
        guard let attribute = initializer.attributes.named("Inject").first else {
            return MacroDiagnostic(at: initializer, "another initializer is already marked with @Inject")
        }
        let text = "another initializer is already marked with @Inject; @Resolvable uses one"
        return MacroDiagnostic(removing: attribute, from: initializer, text)
    }

    static func failableInitializer(_ mark: TokenSyntax) -> MacroDiagnostic {
        MacroDiagnostic(at: mark, "@Resolvable cannot use an initializer that may return nil; throw an error instead")
    }

    static func genericInitializer(_ clause: GenericParameterClauseSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: clause,
            "@Resolvable cannot choose the generic parameters of an initializer; move them to the type"
        )
    }

    static func variadicParameter(_ parameter: FunctionParameterSyntax, _ ellipsis: TokenSyntax) -> MacroDiagnostic {
        let array =
            parameter
            .with(\.type, TypeSyntax(ArrayTypeSyntax(element: parameter.type.trimmed)))
            .with(\.ellipsis, nil)
        return MacroDiagnostic(
            at: parameter,
            "a variadic parameter cannot be resolved; take an array, which receives every registration of its element's type",
            fixIts: [.replace("take '[\(parameter.type.trimmedDescription)]'", parameter, with: array)]
        )
    }

    static func unresolvableParameter(_ parameter: FunctionParameterSyntax, _ kind: String) -> MacroDiagnostic {
        MacroDiagnostic(
            at: parameter,
            "\(kind) cannot be resolved; give it a default value or mark another initializer with @Inject"
        )
    }

    static func opaqueType(_ type: SomeOrAnyTypeSyntax) -> MacroDiagnostic {
        let existential = type.with(\.someOrAnySpecifier.tokenKind, .keyword(.any))
        return MacroDiagnostic(
            at: type,
            "'\(type.trimmedDescription)' cannot be registered; "
                + "use '\(existential.trimmedDescription)', or a generic parameter of the type",
            fixIts: [.replace("use '\(existential.trimmedDescription)'", type, with: existential)]
        )
    }
}

extension InitializerDeclSyntax {
    fileprivate var markedWithInject: FixIt {
        let attribute = AttributeSyntax(
            attributeName: IdentifierTypeSyntax(name: .identifier("Inject")),
            trailingTrivia: .space
        )
        var marked = trimmed
        marked.attributes = [.attribute(attribute)] + marked.attributes
        return .replace("mark '\(signatureName)' with @Inject", self, with: marked)
    }
}
