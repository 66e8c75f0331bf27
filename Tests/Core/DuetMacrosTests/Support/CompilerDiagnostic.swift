import Foundation

/// One diagnostic of the compiler.
struct CompilerDiagnostic: CustomStringConvertible {
    enum Severity: String {
        case error, warning, note
    }

    /// The name of the file; for code that a macro generated, the compiler makes up a name.
    let file: String
    let line: Int
    let column: Int
    let severity: Severity
    let message: String

    /// Parses `file:line:column: severity: message`, or returns nil for other lines.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let line = Int(parts[1]), let column = Int(parts[2]),
            let severity = Severity(rawValue: parts[3].trimmingCharacters(in: .whitespaces))
        else { return nil }
        file = String(parts[0].split(separator: "/").last ?? parts[0])
        self.line = line
        self.column = column
        self.severity = severity
        message = parts[4].trimmingCharacters(in: .whitespaces)
    }

    var description: String { "\(file):\(line):\(column): \(severity): \(message)" }
}

extension [CompilerDiagnostic] {
    /// The errors by the line of `Sample.swift` where each is, or where the macro is that wrote its code.
    ///
    /// After an error in the code of a macro, a note has the place of the macro.
    var errorsByLine: [Int: [String]] {
        var errors: [Int: [String]] = [:]
        var written: [String] = []
        for diagnostic in self {
            if diagnostic.severity == .error { written.append(diagnostic.message) }
            guard diagnostic.file == "Sample.swift", !written.isEmpty else { continue }
            errors[diagnostic.line, default: []] += written
            written = []
        }
        return errors
    }
}
