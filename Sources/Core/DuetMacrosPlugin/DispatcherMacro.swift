import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds one `dispatch` method for each handler's message to a struct of handlers.
enum DispatcherMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(
                .wrongKind(of: declaration, node, needs: "a struct whose stored properties are handlers")
            )
            return []
        }
        var diagnostics = structure.conditionalState.map { Diagnostic.condition($0, node) }
        var handlers: [DispatchedHandler] = []
        for property in structure.storedProperties {
            if let handler = DispatchedHandler(property) {
                handlers.append(handler)
            } else {
                diagnostics.append(.unnamedProperty(property, node))
            }
        }
        if handlers.isEmpty, diagnostics.isEmpty {
            let text = """
                '\(structure.name.text)' has no stored properties; give it one for each handler, such as \
                'let loadFeed: LoadFeedHandler'
                """
            diagnostics.append(Diagnostic(at: node, text))
        }
        guard diagnostics.isEmpty else {
            context.diagnose(diagnostics)
            return []
        }
        let access = structure.modifiers.memberAccess
        let unhandled = unhandledDispatch(structure.name.text, access)
        return handlers.map { $0.dispatch(access) } + [unhandled, dispatcher(handlers, access)]
    }

    /// An overload for messages without a handler, which reports them in one sentence.
    ///
    /// The compiler prefers every other overload. The second parameter leaves room for a generic `dispatch` in an
    /// extension, which otherwise would be a redeclaration.
    private static func unhandledDispatch(_ name: String, _ access: String) -> DeclSyntax {
        """
        @available(*, unavailable, message: "\(raw: name) has no handler for this message. Add a property with one.")
        \(raw: access)nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
            _ message: UnhandledMessage,
            _: Void = ()
        ) async throws -> UnhandledMessage.Value {
            throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
        }
        """
    }

    private static func dispatcher(_ handlers: [DispatchedHandler], _ access: String) -> DeclSyntax {
        let lines = handlers.map { "self.\($0.name)" }.joined(separator: "\n            ")
        return """
            \(raw: access)nonisolated var dispatcher: any Duet.Dispatcher {
                get throws {
                    try Duet.StandardDispatcher {
                        \(raw: lines)
                    }
                }
            }
            """
    }
}

/// A handler that a stored property of a `@Dispatcher` struct holds.
struct DispatchedHandler {
    let name: String
    /// The expression for the type of its message.
    let message: String
    /// Whether the property's type is a protocol, which hides the handler's own type.
    let isExistential: Bool

    init?(_ property: StoredProperty) {
        guard let name = property.name, let type = property.type?.withoutParentheses else { return nil }
        self.name = name.text
        let existential = type.as(SomeOrAnyTypeSyntax.self)
        isExistential = existential != nil
        message = existential?.handledMessage ?? "DuetMacros.HandledMessage<\(type.trimmedDescription)>"
    }

    func dispatch(_ access: String) -> DeclSyntax {
        let signature = "func dispatch(_ message: \(message)) async throws -> \(message).Value"
        return """
            @inline(__always)
            \(raw: access)nonisolated(nonsending) \(raw: signature) {
                \(raw: hints(access).joined(separator: "\n    "))
                try await self.\(raw: name).handle(message)
            }
            """
    }

    /// Comments that explain the compiler's errors in the method.
    ///
    /// The macro cannot see the declarations of the handler and its message. The compiler prints two lines on each side
    /// of an error, so comments below a signature of one line appear with every error.
    private func hints(_ access: String) -> [String] {
        let only = "// If this is a redeclaration, another property handles the message of '\(name)', too."
        guard let level = access.split(separator: " ").first else { return [only] }
        let visible =
            isExistential
            ? "a \(level) message for '\(name)'."
            : "a \(level) and Sendable handler '\(name)' with a \(level) 'handle'."
        return [only, "// A \(level) dispatcher needs \(visible)"]
    }
}

extension SomeOrAnyTypeSyntax {
    /// The message `M` of `any QueryHandler<M> & Sendable`.
    fileprivate var handledMessage: String? {
        let parts = constraint.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [constraint]
        return parts.lazy.compactMap(\.handledMessage).first?.trimmedDescription
    }
}

extension TypeSyntax {
    /// The argument `M` of `QueryHandler<M>`, `CommandHandler<M>` or `AnsweringHandler<M>`.
    fileprivate var handledMessage: GenericArgumentSyntax.Argument? {
        let named = self.as(IdentifierTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        let member = self.as(MemberTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        guard let (name, clause) = named ?? member,
            ["QueryHandler", "CommandHandler", "AnsweringHandler"].contains(name.text)
        else {
            return nil
        }
        return clause?.arguments.first?.argument
    }
}
