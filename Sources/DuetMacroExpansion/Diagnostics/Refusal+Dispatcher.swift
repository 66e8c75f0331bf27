import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What `@Dispatcher` cannot make of a type.
extension Refusal {
    static func notADispatcher(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Refusal {
        var fixIts = [FixIt].removal(of: attribute, from: declaration)
        // Taking `final` away as well would be a second edit beside the first.
        if let type = declaration.as(ClassDeclSyntax.self), !type.modifiers.contains(.final) {
            fixIts.insert(.replace("make it a struct", type.classKeyword, with: TokenSyntax.keyword(.struct)), at: 0)
        }
        return Refusal(
            "notADispatcher",
            at: attribute,
            "@Dispatcher needs a struct whose stored properties are handlers, not \(declaration.phrase)",
            fixIts: fixIts
        )
    }

    static func noHandlers(_ attribute: AttributeSyntax, _ structure: StructDeclSyntax) -> Refusal {
        Refusal(
            "noHandlers",
            at: attribute,
            "'\(structure.name.text)' has no stored properties; give it one for each handler, "
                + "such as 'let loadFeed: LoadFeedHandler'"
        )
    }

    static func conformingDispatcher(_ type: InheritedTypeSyntax) -> Refusal {
        Refusal(
            "conformingDispatcher",
            at: type,
            "a @Dispatcher that is a '\(type.type.trimmedDescription)' itself would accept every message; "
                + "hand on its property 'dispatcher' instead",
            fixIts: type.removal
        )
    }

    static func conditionalHandlers(_ condition: IfConfigDeclSyntax) -> Refusal {
        Refusal(
            "conditionalHandlers",
            at: condition,
            "@Dispatcher cannot tell which handlers '#if' leaves; move them out of it"
        )
    }

    static func patternHandler(_ property: StoredProperty) -> Refusal {
        Refusal(
            "patternHandler",
            at: property.binding.pattern,
            "@Dispatcher needs a name and a type for each handler; declare each by itself",
            fixIts: property.separated
        )
    }

    static func untypedHandler(_ property: StoredProperty) -> Refusal {
        let name = property.name?.text ?? "it"
        return Refusal(
            "untypedHandler",
            at: property.binding.pattern,
            "@Dispatcher has to read the type of '\(name)', so it has to be written",
            fixIts: [property.annotated(property.initializerType ?? "<#Handler#>")]
        )
    }

    static func reservedHandlerName(_ name: TokenSyntax) -> Refusal {
        Refusal(
            "reservedHandlerName",
            at: name,
            "@Dispatcher makes a member '\(name.text)'; name the handler otherwise"
        )
    }

    static func handlerTwice(_ name: TokenSyntax, _ other: String) -> Refusal {
        Refusal(
            "handlerTwice",
            at: name,
            "'\(name.text)' handles the same message as '\(other)'; a message has one handler"
        )
    }

    static func notAHandler(_ type: TypeSyntax) -> Refusal {
        Refusal(
            "notAHandler",
            at: type,
            "'\(type.trimmedDescription)' is no type of a handler; @Dispatcher needs one a property"
        )
    }

    static func opaqueHandler(_ type: SomeOrAnyTypeSyntax) -> Refusal {
        let constraint = type.constraint.trimmedDescription
        let existential: TypeSyntax =
            "any \(raw: constraint)\(raw: constraint.contains("Sendable") ? "" : " & Sendable")"
        return Refusal(
            "opaqueHandler",
            at: type,
            "'\(type.trimmedDescription)' has no name that @Dispatcher could use; "
                + "use '\(existential)', or a generic parameter of the struct",
            fixIts: [.replace("use '\(existential)'", type, with: existential)]
        )
    }

    static func unnamedMessage(_ type: SomeOrAnyTypeSyntax) -> Refusal {
        Refusal(
            "unnamedMessage",
            at: type,
            "'\(type.trimmedDescription)' does not tell its message; write the handler's own type, "
                + "'any QueryHandler<Message> & Sendable' or 'any CommandHandler<Message> & Sendable'"
        )
    }

    static func nonSendableHandler(_ type: SomeOrAnyTypeSyntax) -> Refusal {
        let sendable: TypeSyntax = "\(type.trimmed) & Sendable"
        return Refusal(
            "nonSendableHandler",
            at: type,
            "a handler that a dispatcher keeps is Sendable; add '& Sendable'",
            fixIts: [.replace("add '& Sendable'", type, with: sendable)]
        )
    }
}

extension InheritedTypeSyntax {
    /// Takes the type away from the clause that it stands in.
    fileprivate var removal: [FixIt] {
        guard let list = parent?.as(InheritedTypeListSyntax.self),
            let clause = list.parent?.as(InheritanceClauseSyntax.self)
        else { return [] }
        var rest = list.filter { $0.id != id }
        let message = Refusal.Message(id: "fixIt", text: "remove '\(type.trimmedDescription)'")
        guard let last = rest.indices.last else {
            let range = clause.positionAfterSkippingLeadingTrivia..<clause.endPositionBeforeTrailingTrivia
            return [FixIt(message: message, changes: [.replaceText(range: range, with: "", in: Syntax(clause))])]
        }
        rest[last].trailingComma = nil
        return [.replace(message.text, list, with: rest)]
    }
}

extension StoredProperty {
    /// `Handler` in `let handler = Handler(…)`.
    fileprivate var initializerType: String? {
        guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self) else { return nil }
        let name = call.calledExpression.trimmedDescription
        return name.split(separator: ".").last?.first?.isUppercase == true ? name : nil
    }
}
