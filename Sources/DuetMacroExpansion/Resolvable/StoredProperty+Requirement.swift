import SwiftSyntax

extension StoredProperty {
    /// Attributes that leave a property as stored as it was.
    private static let harmless: Set<String> = [
        "Named", "available", "nonobjc", "objc", "preconcurrency", "usableFromInline",
    ]

    /// What is resolved for this property; nil where it keeps its default.
    func requirement() throws(Refusal) -> Requirement? {
        if hasDefault { return nil }
        guard let name else { throw .patternProperty(self) }
        guard let type else { throw .untypedProperty(self) }
        if let opaque = type.opaque { throw .opaqueType(opaque) }
        if let attribute = declaration.attributes.all.first(where: {
            !Self.harmless.contains($0.name) && !$0.isGlobalActor
        }) {
            throw .wrappedProperty(self, attribute)
        }
        let registration = declaration.attributes.named("Named").first?.arguments?
            .as(LabeledExprListSyntax.self)?.first?.expression
        return Requirement(name: name.text, type: type.resolved, registration: registration)
    }
}
