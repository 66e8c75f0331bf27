import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a `@Dispatcher` struct.
struct DispatchedHandler {
    let name: String
    let type: String
    /// The expression that names the type of its message.
    let message: String

    init(_ property: StoredProperty, among others: [DispatchedHandler]) throws(Refusal) {
        guard let name = property.name else { throw .patternHandler(property) }
        guard let type = property.type else { throw .untypedHandler(property) }
        if ["dispatch", "dispatcher"].contains(name.text) { throw .reservedHandlerName(name) }
        self.name = name.text
        self.type = type.withoutParentheses.trimmedDescription
        message = try Self.message(type.withoutParentheses)
        if let other = others.first(where: { $0.type == self.type }) { throw .handlerTwice(name, other.name) }
    }

    func dispatch(_ access: String) -> DeclSyntax {
        """
        @inline(__always)
        \(raw: access)nonisolated(nonsending) func dispatch(
            _ message: \(raw: message)
        ) async throws -> \(raw: message).Value {
            try await self.\(raw: name).handle(message)
        }
        """
    }

    private static func message(_ type: TypeSyntax) throws(Refusal) -> String {
        if type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self) {
            return "\(type.trimmedDescription).Message"
        }
        guard let wrapped = type.as(SomeOrAnyTypeSyntax.self) else { throw .notAHandler(type) }
        if wrapped.someOrAnySpecifier.tokenKind == .keyword(.some) { throw .opaqueHandler(wrapped) }

        let parts = wrapped.constraint.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [wrapped.constraint]
        guard let message = parts.lazy.compactMap(\.handledMessage).first else { throw .unnamedMessage(wrapped) }
        let isSendable = parts.contains { ["Sendable", "Swift.Sendable"].contains($0.trimmedDescription) }
        if !isSendable { throw .nonSendableHandler(wrapped) }
        return message.trimmedDescription
    }
}

extension TypeSyntax {
    /// `M` in `QueryHandler<M>` and `CommandHandler<M>`.
    fileprivate var handledMessage: GenericArgumentSyntax.Argument? {
        let named = self.as(IdentifierTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        let member = self.as(MemberTypeSyntax.self).map { ($0.name, $0.genericArgumentClause) }
        guard let (name, clause) = named ?? member, ["QueryHandler", "CommandHandler"].contains(name.text) else {
            return nil
        }
        return clause?.arguments.first?.argument
    }
}
