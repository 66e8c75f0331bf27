import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct DuetMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        DispatcherMacro.self,
        InjectMacro.self,
        NamedMacro.self,
        ResolvableMacro.self,
        ResolvedScopeMacro.self,
    ]
}
