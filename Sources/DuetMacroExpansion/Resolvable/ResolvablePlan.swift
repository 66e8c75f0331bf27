import SwiftDiagnostics
import SwiftSyntax

/// What is resolved for a type, and how a value is made of it; or why that cannot be told.
struct ResolvablePlan {
    let type: ResolvableType
    private(set) var refusals: [Refusal] = []
    /// The initialiser that is called; nil where the stored properties are set one by one.
    private(set) var initializer: InitializerDeclSyntax?
    private(set) var requirements: [Requirement] = []

    init(_ type: ResolvableType, attribute: AttributeSyntax, within context: [Syntax]) {
        self.type = type
        refusals = type.unsupported + type.unreachable(within: context, attribute)
        if let own = type.ownInitializer {
            if !type.hasOwnDependencies { refusals.append(.initializerWithoutDependencies(own)) }
            return
        }
        do {
            initializer = try chooseInitializer(attribute)
        } catch {
            refusals.append(error)
            return
        }
        if let initializer {
            addRequirements(of: initializer)
        } else {
            for property in type.declaration.storedProperties { addRequirement(of: property) }
        }
    }
}

extension ResolvablePlan {
    /// The initialiser marked with `@Inject`, or the only one there is.
    private func chooseInitializer(_ attribute: AttributeSyntax) throws(Refusal) -> InitializerDeclSyntax? {
        let marked = type.initializers.filter { !$0.attributes.named("Inject").isEmpty }
        if marked.count > 1 { throw .injectTwice(marked[1]) }
        if let only = marked.first { return only }

        let designated = type.initializers.filter { !$0.modifiers.contains(.convenience) }
        let usable = designated.filter { $0.optionalMark == nil }
        if usable.count > 1 { throw .severalInitializers(usable, of: type, attribute) }
        return usable.first ?? designated.first
    }

    private mutating func addRequirements(of initializer: InitializerDeclSyntax) {
        if let mark = initializer.optionalMark { refusals.append(.failableInitializer(mark)) }
        if let clause = initializer.genericParameterClause { refusals.append(.genericInitializer(clause)) }
        for property in type.declaration.storedProperties where !property.hasDefault {
            for attribute in property.declaration.attributes.named("Named") {
                refusals.append(.namedBesideInitializer(attribute, property, initializer))
            }
        }
        for parameter in initializer.signature.parameterClause.parameters where parameter.defaultValue == nil {
            do {
                let label = parameter.firstName.tokenKind == .wildcard ? nil : parameter.firstName.trimmedDescription
                requirements.append(Requirement(name: label, type: try parameter.dependency()))
            } catch {
                refusals.append(error)
            }
        }
    }

    private mutating func addRequirement(of property: StoredProperty) {
        do {
            if let requirement = try property.requirement() { requirements.append(requirement) }
        } catch {
            refusals.append(error)
        }
    }
}
