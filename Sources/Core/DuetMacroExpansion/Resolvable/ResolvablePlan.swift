import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The dependencies of a type and how to create it from them, or the errors that prevent that.
struct ResolvablePlan {
    let type: ResolvableType
    private(set) var diagnostics: [MacroDiagnostic] = []
    /// The initializer to call; nil if the stored properties are set one by one.
    private(set) var initializer: InitializerDeclSyntax?
    private(set) var requirements: [Requirement] = []

    init(_ type: ResolvableType, attribute: AttributeSyntax, within context: [Syntax]) {
        self.type = type
        diagnostics = type.unsupported + type.unreachable(within: context, attribute)
        if let own = type.ownInitializer {
            if !type.hasOwnDependencies { diagnostics.append(.initializerWithoutDependencies(own)) }
            return
        }
        do {
            initializer = try chooseInitializer(attribute)
        } catch {
            diagnostics.append(error)
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
    /// Returns the initializer marked with `@Inject`, or the only one.
    private func chooseInitializer(_ attribute: AttributeSyntax) throws(MacroDiagnostic) -> InitializerDeclSyntax? {
        let marked = type.initializers.filter { !$0.attributes.named("Inject").isEmpty }
        if marked.count > 1 { throw .injectTwice(marked[1]) }
        if let only = marked.first { return only }

        let designated = type.initializers.filter { !$0.modifiers.contains(.convenience) }
        let usable = designated.filter { $0.optionalMark == nil }
        if usable.count > 1 { throw .severalInitializers(usable, of: type, attribute) }
        return usable.first ?? designated.first
    }

    private mutating func addRequirements(of initializer: InitializerDeclSyntax) {
        if let mark = initializer.optionalMark { diagnostics.append(.failableInitializer(mark)) }
        if let clause = initializer.genericParameterClause { diagnostics.append(.genericInitializer(clause)) }
        for property in type.declaration.storedProperties where !property.hasDefault {
            for attribute in property.declaration.attributes.named("Named") {
                diagnostics.append(.namedBesideInitializer(attribute, property, initializer))
            }
        }
        for parameter in initializer.signature.parameterClause.parameters where parameter.defaultValue == nil {
            do {
                let label = parameter.firstName.tokenKind == .wildcard ? nil : parameter.firstName.trimmedDescription
                requirements.append(Requirement(name: label, type: try parameter.dependency()))
            } catch {
                diagnostics.append(error)
            }
        }
    }

    private mutating func addRequirement(of property: StoredProperty) {
        do {
            if let requirement = try property.requirement() { requirements.append(requirement) }
        } catch {
            diagnostics.append(error)
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
        let access = type.isOpen ? "open " : type.declaration.modifiers.memberAccess
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

extension ResolvableType {
    fileprivate var isOpen: Bool { declaration.modifiers.access == .open }
}
