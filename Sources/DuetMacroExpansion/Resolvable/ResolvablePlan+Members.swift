import SwiftSyntax
import SwiftSyntaxBuilder

extension ResolvablePlan {
    /// `dependencies` and `init(from:)`, as far as they are not written by hand; nothing where something is refused.
    var members: [DeclSyntax] {
        guard refusals.isEmpty else { return [] }
        // A subclass that adds nothing inherits its superclass's initialisers.
        if type.isSubclass, initializer == nil, requirements.isEmpty { return [] }
        var members = type.hasOwnDependencies ? [] : [dependencies]
        if type.ownInitializer == nil { members.append(initializerFromScope) }
        if let initializer, type.isClass, !type.isFinal { members.append(subclassing(calling: initializer)) }
        return members
    }

    private var dependencies: DeclSyntax {
        let own = list(requirements.map(\.dependency), "[", "]")
        // What an initialiser of the subclass takes is all that it needs, its superclass's part included.
        let isAdded = type.isSubclass && initializer == nil
        let list = isAdded ? "super.dependencies + \(own)" : own
        let access = type.isOpen ? "open " : type.declaration.modifiers.memberAccess
        let keywords = type.isSubclass ? "override class" : type.isClass && !type.isFinal ? "class" : "static"
        return """
            \(raw: access)nonisolated \(raw: keywords) var dependencies: [DuetDependencies.Dependency] {
                \(raw: list)
            }
            """
    }

    private var initializerFromScope: DeclSyntax {
        let required = type.isSubclass || (type.isClass && !type.isFinal) ? "required " : ""
        let convenience = type.isClass && delegates ? "convenience " : ""
        let modifiers = isolation + type.declaration.modifiers.memberAccess + required + convenience
        // Making a handler is the dearest part of its dispatch, and this a tenth of it.
        return """
            @inline(__always)
            \(raw: modifiers)init(from scope: DuetDependencies.Scope) async throws {\(raw: body)
            }
            """
    }

    /// Takes the place of the declaration in `DuetMacros` that lets a subclass call `super.init(from:)`.
    ///
    /// That initialiser is a convenience here. The compiler lets it be called, and the linker does not find it.
    private func subclassing(calling initializer: InitializerDeclSyntax) -> DeclSyntax {
        let name = type.name.text
        let message = """
            '\(name)' is made with its own '\(initializer.signatureName)', so the subclass needs an initialiser that calls it
            """
        return """
            @available(*, noasync, message: "\(raw: message)")
            \(raw: type.declaration.modifiers.memberAccess)nonisolated static func _resolvesSubclass(of type: \(raw: name).Type) {
            }
            """
    }

    /// Whether `self.init` is called.
    ///
    /// A final class whose properties all have a default has an implicit `init()`, which another designated initialiser
    /// would take away.
    private var delegates: Bool {
        initializer != nil || (type.isClass && type.isFinal && !type.isSubclass && requirements.isEmpty)
    }

    /// The body's lines, each after a line break.
    private var body: String {
        var lines: [String] = []
        if delegates {
            let arguments = requirements.map { ($0.name.map { "\($0): " } ?? "") + $0.resolution }
            // One `try await` before it all covers the arguments, the initialiser, and a step to its actor.
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

    /// A list within a line, or with a line for each element where there are several.
    private func list(_ elements: [String], _ open: String, _ close: String) -> String {
        guard elements.count > 1 else { return open + elements.joined() + close }
        return open + "\n        " + elements.joined(separator: ",\n        ") + "\n    " + close
    }

    /// The isolation that the initialiser shares with what it calls or sets.
    ///
    /// Nothing is said where nothing was: the module's default isolation then holds for the type and this alike.
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
