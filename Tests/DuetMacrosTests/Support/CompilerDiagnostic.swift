import Foundation

/// One line of what the compiler says.
struct CompilerDiagnostic: CustomStringConvertible {
    enum Severity: String {
        case error, warning, note
    }

    /// The name of the file; the code that a macro made has one that the compiler thinks up.
    let file: String
    let line: Int
    let column: Int
    let severity: Severity
    let message: String

    /// Reads `file:line:column: severity: message`; other lines are none.
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
