/// Makes a type ``DuetDependencies/Resolvable``: a scope can make it, and `build()` checks what it needs.
///
/// ```swift
/// @Resolvable
/// struct GetInfoHandler: QueryHandler {
///     let api: any Api
///     let logger: Logger?
///     var attempts = 3
///
///     func handle(_ query: GetInfo) async throws -> Info {
///         try await api.info(on: query.subject)
///     }
/// }
/// ```
///
/// It goes on structs, classes and actors, and writes two members: `init(from:)`, which resolves each dependency, and
/// `dependencies`, the list of them.
///
/// ## What is resolved
///
/// A type with an initialiser of its own gets the parameters of that initialiser, and the initialiser is called. Where
/// there are several, ``Inject()`` marks the one to use. Parameters with a default value keep it.
///
/// A type without one gets its stored properties. Those with a default value keep it; static, computed, `lazy` and
/// `weak var` properties are left alone. ``Named(_:)`` says under which name a property is resolved.
///
/// An optional is nil when nothing is registered; an array is every registration of its element's type.
///
/// ## Isolation
///
/// `@MainActor`, or any attribute whose name ends in `Actor`, is repeated from the initialiser that is called, or from the
/// type. A type that is marked `nonisolated` is made where its caller runs. Otherwise nothing is said, and what the
/// module's settings make of the type's other asynchronous members holds for this one.
///
/// ## Classes
///
/// A class that is not final gets a `required` initialiser, and a subclass of a `@Resolvable` class adds its own
/// properties to what its superclass needs. This takes a superclass without an initialiser of its own; otherwise the
/// subclass writes an initialiser that calls the superclass's.
///
/// A struct keeps its memberwise initialiser.
///
/// A public type needs `public import DuetMacros` in a module where imports are internal by default.
@attached(
    member,
    conformances: Resolvable,
    names: named(init(from:)),
    named(dependencies),
    named(resolvesSubclass(of:))
)
@attached(extension, conformances: Resolvable, names: named(init(from:)), named(dependencies))
public macro Resolvable() = #externalMacro(module: "DuetMacrosPlugin", type: "ResolvableMacro")
