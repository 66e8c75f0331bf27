import DuetMacroExpansion
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros in a source, and compares the expansion, the diagnostics, and the source after the first fix-it
/// of each.
///
/// - Parameters:
///   - source: The source as written.
///   - expanded: The expected expansion.
///   - diagnostics: The expected diagnostics and fix-its.
///   - fixed: The source after the first fix-it of each diagnostic.
///   - isConforming: Whether the type is already resolvable, through a superclass or another protocol.
func expectExpansion(
    of source: String,
    to expanded: String,
    diagnostics: [DiagnosticSpec] = [],
    fixed: String? = nil,
    isConforming: Bool = false,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    assertMacroExpansion(
        source,
        expandedSource: expanded,
        diagnostics: diagnostics,
        macroSpecs: [
            "Dispatcher": MacroSpec(type: DispatcherMacro.self),
            "Inject": MacroSpec(type: InjectMacro.self),
            "Named": MacroSpec(type: NamedMacro.self),
            "Resolvable": MacroSpec(type: ResolvableMacro.self, conformances: isConforming ? [] : ["Resolvable"]),
            "ResolvedScope": MacroSpec(type: ResolvedScopeMacro.self),
        ],
        fixedSource: fixed,
        failureHandler: { failure in
            let location = SourceLocation(
                fileID: failure.location.fileID,
                filePath: failure.location.filePath,
                line: failure.location.line,
                column: failure.location.column
            )
            Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
        },
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column
    )
}
