import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The dependencies of a type and how to create it from them, or the errors that prevent that.
struct ResolvablePlan {
    let type: ResolvableType
    private(set) var diagnostics: [Diagnostic] = []
    /// The initializer to call; nil if the stored properties are set one by one.
    private(set) var initializer: InitializerDeclSyntax?
    private(set) var requirements: [Requirement] = []

    init(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, isConforming: Bool) {
        type = ResolvableType(declaration, isConforming: isConforming)
        diagnostics = declaration.conditionalState.map { .condition($0, attribute) }
        if let own = type.ownInitializer {
            if !type.hasOwnDependencies {
                let text = "is hand-written, so its dependencies must be, too; add 'static var dependencies'"
                diagnostics.append(Diagnostic(at: own.initKeyword, "init(from:) \(text)"))
            }
            return
        }
        let candidates = type.candidates
        guard candidates.count <= 1 else {
            let text = "'\(type.name.text)' has several initializers; mark exactly one of them with @Inject"
            diagnostics.append(Diagnostic(at: attribute, text))
            return
        }
        initializer = candidates.first
        if let initializer {
            addRequirements(of: initializer)
        } else {
            addRequirements(ofPropertiesFor: attribute)
        }
    }

    private mutating func addRequirements(of initializer: InitializerDeclSyntax) {
        if let mark = initializer.optionalMark {
            let text = "@Resolvable cannot use an initializer that may return nil; throw an error instead"
            diagnostics.append(Diagnostic(at: mark, text))
        }
        for property in type.declaration.storedProperties where !property.hasDefault {
            diagnostics += property.declaration.attributes.named("Named").map(Diagnostic.ineffectiveName)
        }
        for parameter in initializer.signature.parameterClause.parameters where parameter.defaultValue == nil {
            if parameter.ellipsis != nil || parameter.type.is(PackExpansionTypeSyntax.self) {
                let text = """
                    a variadic parameter or a pack cannot be resolved; take an array, which receives every \
                    registration of its element's type
                    """
                diagnostics.append(Diagnostic(at: parameter, text))
            }
            let label = parameter.firstName.tokenKind == .wildcard ? nil : parameter.firstName.trimmedDescription
            requirements.append(Requirement(name: label, type: parameter.dependency))
        }
    }

    private mutating func addRequirements(ofPropertiesFor attribute: AttributeSyntax) {
        for property in type.declaration.storedProperties where !property.hasDefault {
            guard let requirement = Requirement(property) else {
                diagnostics.append(.unnamedProperty(property, attribute))
                continue
            }
            requirements.append(requirement)
            if let wrapper = property.wrapper {
                let text = """
                    @Resolvable cannot set '\(property.binding.pattern.trimmedDescription)' because of \
                    '\(wrapper.trimmedDescription)'; give the property a default value, or write an initializer
                    """
                diagnostics.append(Diagnostic(at: wrapper, text))
            }
        }
    }
}

extension ResolvablePlan {
    /// The members `dependencies` and `init(from:)`, unless they are hand-written; empty if there are errors.
    var members: [DeclSyntax] {
        guard diagnostics.isEmpty else { return [] }
        // A subclass without dependencies inherits its superclass's initializers.
        if type.isSubclass, initializer == nil, requirements.isEmpty { return [] }
        var members = type.hasOwnDependencies ? [] : [dependencies]
        if type.ownInitializer == nil { members.append(initializerFromScope) }
        if let initializer, type.isClass, !type.isFinal { members.append(subclassing(calling: initializer)) }
        return members
    }

    private var dependencies: DeclSyntax {
        let own = list(requirements.map(\.dependency), "[", "]")
        // The parameters of a subclass's initializer include what its superclass needs.
        let isAdded = type.isSubclass && initializer == nil
        let list = isAdded ? "super.dependencies + \(own)" : own
        let modifiers = type.declaration.modifiers
        let access = modifiers.access == .open ? "open " : modifiers.memberAccess
        let keywords = type.isSubclass ? "override class" : type.isClass && !type.isFinal ? "class" : "static"
        return """
            \(raw: access)nonisolated \(raw: keywords) var dependencies: [DuetDependencies.ResolvedDependency] {
                \(raw: list)
            }
            """
    }

    private var initializerFromScope: DeclSyntax {
        let required = type.isSubclass || (type.isClass && !type.isFinal) ? "required " : ""
        let convenience = type.isClass && delegates ? "convenience " : ""
        let modifiers = isolation + type.declaration.modifiers.memberAccess + required + convenience
        // Creating a handler is the most expensive part of its dispatch, and this attribute saves a tenth of it.
        return """
            @inline(__always)
            \(raw: modifiers)init(from scope: DuetDependencies.Scope) async throws {\(raw: body)
            }
            """
    }

    /// Shadows the declaration in `DuetMacros` that allows a subclass to call `super.init(from:)`.
    ///
    /// In this class, that initializer is a convenience initializer. The compiler would accept the call, but the linker
    /// would not find the initializer.
    private func subclassing(calling initializer: InitializerDeclSyntax) -> DeclSyntax {
        let name = type.name.text
        let message = """
            '\(name)' is created by its own '\(initializer.signatureName)', so the subclass needs an initializer \
            that calls it
            """
        let access = type.declaration.modifiers.memberAccess
        return """
            @available(*, noasync, message: "\(raw: message)")
            \(raw: access)nonisolated static func _resolvesSubclass(of type: \(raw: name).Type) {
            }
            """
    }

    /// Whether the generated initializer calls `self.init`.
    ///
    /// A final class whose properties all have default values has an implicit `init()`, which another designated
    /// initializer would remove.
    private var delegates: Bool {
        initializer != nil || (type.isClass && type.isFinal && !type.isSubclass && requirements.isEmpty)
    }

    /// The lines of the body, each after a line break.
    private var body: String {
        var lines: [String] = []
        if delegates {
            let arguments = requirements.map { ($0.name.map { "\($0): " } ?? "") + $0.resolution }
            // One `try await` covers the arguments, the initializer, and a hop to its actor.
            let tries = !requirements.isEmpty || initializer?.isThrowing == true ? "try " : ""
            let awaits = !requirements.isEmpty || initializer?.isAsync == true ? "await " : ""
            lines.append("\(tries)\(awaits)self.init" + list(arguments, "(", ")"))
        } else {
            lines += requirements.map { "self.\($0.name ?? "_") = try await \($0.resolution)" }
            if let superclass = type.superclass {
                lines.append("\(superclass)._resolvesSubclass(of: \(superclass).self)")
                lines.append("try await super.init(from: scope)")
            }
        }
        return lines.map { "\n    \($0)" }.joined()
    }

    /// Returns a list on one line, or with one line for each of several elements.
    private func list(_ elements: [String], _ open: String, _ close: String) -> String {
        guard elements.count > 1 else { return open + elements.joined() + close }
        return open + "\n        " + elements.joined(separator: ",\n        ") + "\n    " + close
    }

    /// The isolation of the generated initializer, copied from the initializer it calls or from the type.
    ///
    /// It is empty if neither states one; the module's default isolation then applies to both.
    private var isolation: String {
        let actor = initializer?.attributes.globalActor ?? type.declaration.attributes.globalActor
        if let actor { return actor.trimmedDescription + " " }
        let isNonisolated = type.declaration.modifiers.contains(.nonisolated)
        return isNonisolated ? "nonisolated(nonsending) " : ""
    }
}
