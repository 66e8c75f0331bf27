/// Adds the scope that a SwiftUI view resolves from as a property, under the name that Lambdaspire has for it.
///
/// ```swift
/// @ResolvedScope
/// struct NotesToolbar: View {
///     @Resolved private var dispatcher: any CommandDispatcher
///
///     var body: some View {
///         Button("Add") {
///             Task { try await dispatcher.dispatch(AddNote(text: "Eggs")) }
///         }
///         .disabled(scope == nil)
///     }
/// }
/// ```
///
/// The macro writes `@Environment(\.scope) private var scope`, which is nil outside of `resolving(from:)`. `@Resolved`
/// of `DuetSwiftUI` finds the scope itself and does not need the macro. The file must import `SwiftUI` and
/// `DuetSwiftUI`.
@attached(member, names: named(scope))
public macro ResolvedScope() = #externalMacro(module: "DuetMacrosPlugin", type: "ResolvedScopeMacro")
