import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Errors in the use of `@Dispatcher`.
extension MacroDiagnostic {
    static func notADispatcher(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> MacroDiagnostic {
        var fixIts = [FixIt].removal(of: attribute, from: declaration)
        // Removing `final` as well would take a second edit beside the first.
        if let type = declaration.as(ClassDeclSyntax.self), !type.modifiers.contains(.final) {
            fixIts.insert(.replace("make it a struct", type.classKeyword, with: TokenSyntax.keyword(.struct)), at: 0)
        }
        return MacroDiagnostic(
            at: attribute,
            "@Dispatcher needs a struct whose stored properties are handlers, not \(declaration.phrase)",
            fixIts: fixIts
        )
    }

    static func noHandlers(_ attribute: AttributeSyntax, _ structure: StructDeclSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: attribute,
            "'\(structure.name.text)' has no stored properties; give it one for each handler, "
                + "such as 'let loadFeed: LoadFeedHandler'"
        )
    }

    static func conformingDispatcher(_ type: InheritedTypeSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: type,
            "a @Dispatcher that conforms to '\(type.type.trimmedDescription)' would accept every message; "
                + "pass its property 'dispatcher' instead",
            fixIts: type.removal
        )
    }

    static func conditionalHandlers(_ condition: IfConfigDeclSyntax) -> MacroDiagnostic {
        MacroDiagnostic(at: condition, "@Dispatcher cannot evaluate '#if'; move the handlers out of it")
    }

    static func patternHandler(_ property: StoredProperty) -> MacroDiagnostic {
        MacroDiagnostic(
            at: property.binding.pattern,
            "@Dispatcher needs a name and a type for each handler; declare each separately",
            fixIts: property.separated
        )
    }

    static func untypedHandler(_ property: StoredProperty) -> MacroDiagnostic {
        let name = property.name?.text ?? "it"
        return MacroDiagnostic(
            at: property.binding.pattern,
            "@Dispatcher needs the type of '\(name)'; write it",
            fixIts: [property.annotated(property.initializerType ?? "<#Handler#>")]
        )
    }

    static func reservedHandlerName(_ name: TokenSyntax) -> MacroDiagnostic {
        MacroDiagnostic(at: name, "@Dispatcher generates a member '\(name.text)'; rename the handler")
    }

    static func handlerTwice(_ name: TokenSyntax, _ other: String) -> MacroDiagnostic {
        MacroDiagnostic(at: name, "'\(name.text)' handles the same message as '\(other)'; remove one of them")
    }

    static func notAHandler(_ type: TypeSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: type,
            "'\(type.trimmedDescription)' is not a handler type; @Dispatcher needs one handler per property"
        )
    }

    static func opaqueHandler(_ type: SomeOrAnyTypeSyntax) -> MacroDiagnostic {
        let constraint = type.constraint.trimmedDescription
        let existential: TypeSyntax =
            "any \(raw: constraint)\(raw: constraint.contains("Sendable") ? "" : " & Sendable")"
        return MacroDiagnostic(
            at: type,
            "@Dispatcher cannot name the type '\(type.trimmedDescription)'; "
                + "use '\(existential)', or a generic parameter of the struct",
            fixIts: [.replace("use '\(existential)'", type, with: existential)]
        )
    }

    static func unnamedMessage(_ type: SomeOrAnyTypeSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: type,
            "'\(type.trimmedDescription)' does not name its message; write the handler's own type, "
                + "'any QueryHandler<Message> & Sendable' or 'any CommandHandler<Message> & Sendable'"
        )
    }

    static func nonSendableHandler(_ type: SomeOrAnyTypeSyntax) -> MacroDiagnostic {
        let sendable: TypeSyntax = "\(type.trimmed) & Sendable"
        return MacroDiagnostic(
            at: type,
            "a handler that a dispatcher stores must be Sendable; add '& Sendable'",
            fixIts: [.replace("add '& Sendable'", type, with: sendable)]
        )
    }
}

extension InheritedTypeSyntax {
    /// Removes the type from its inheritance clause.
    fileprivate var removal: [FixIt] {
        guard let list = parent?.as(InheritedTypeListSyntax.self),
            let clause = list.parent?.as(InheritanceClauseSyntax.self)
        else { return [] }
        var rest = list.filter { $0.id != id }
        let message = MacroDiagnostic.Message(id: "fixIt", text: "remove '\(type.trimmedDescription)'")
        guard let last = rest.indices.last else {
            let range = clause.positionAfterSkippingLeadingTrivia..<clause.endPositionBeforeTrailingTrivia
            return [FixIt(message: message, changes: [.replaceText(range: range, with: "", in: Syntax(clause))])]
        }
        rest[last].trailingComma = nil
        return [.replace(message.text, list, with: rest)]
    }
}

extension StoredProperty {
    /// The type `Handler` in `let handler = Handler(…)`.
    fileprivate var initializerType: String? {
        guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self) else { return nil }
        let name = call.calledExpression.trimmedDescription
        return name.split(separator: ".").last?.first?.isUppercase == true ? name : nil
    }
}
