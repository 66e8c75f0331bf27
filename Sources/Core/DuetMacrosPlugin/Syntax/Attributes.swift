import SwiftSyntax

extension AttributeSyntax {
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// Whether this looks like a global actor, judging by its name.
    var isGlobalActor: Bool { name.hasSuffix("Actor") && name != "globalActor" }
}

extension AttributeListSyntax {
    var all: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    func named(_ name: String) -> [AttributeSyntax] { all.filter { $0.name == name } }

    var globalActor: AttributeSyntax? { all.first(where: \.isGlobalActor) }
}

extension DeclModifierListSyntax {
    func contains(_ keyword: Keyword) -> Bool {
        contains { $0.name.tokenKind == .keyword(keyword) }
    }

    var access: Keyword? {
        [.open, .public, .package, .internal, .fileprivate, .private].first { keyword in
            contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil }
        }
    }

    /// The access modifier that members need to be as visible as their type.
    var memberAccess: String {
        switch access {
        case .open, .public: "public "
        case .package: "package "
        default: ""
        }
    }
}
