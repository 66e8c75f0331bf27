/// Marks the initialiser that ``Resolvable()`` uses, in a type that has several.
///
/// ```swift
/// @Resolvable
/// final class Session {
///     let api: any Api
///
///     @Inject
///     init(api: any Api) {
///         self.api = api
///     }
///
///     init(recording path: String) {
///         api = RecordingApi(path)
///     }
/// }
/// ```
@attached(peer)
public macro Inject() = #externalMacro(module: "DuetMacrosPlugin", type: "InjectMacro")
