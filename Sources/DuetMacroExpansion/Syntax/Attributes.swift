import SwiftSyntax

extension AttributeSyntax {
    /// The attribute's name, without the module that may stand before it.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// Whether this names a global actor, as far as a name can tell.
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

    /// `public`, `open`, `package`, … as written; nil where nothing is.
    var access: Keyword? {
        [.open, .public, .package, .internal, .fileprivate, .private].first { keyword in
            contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil }
        }
    }

    /// What members have to repeat to be seen as far as their type is.
    var memberAccess: String {
        switch access {
        case .open, .public: "public "
        case .package: "package "
        default: ""
        }
    }
}
