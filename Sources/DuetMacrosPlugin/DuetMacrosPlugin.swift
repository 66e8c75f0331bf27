import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct DuetMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = []
}
