/// Where something was registered, so that an error can point there.
struct SourceLocation: Sendable, CustomStringConvertible {
    let fileID: String
    let line: Int

    var description: String { "\(fileID):\(line)" }
}
