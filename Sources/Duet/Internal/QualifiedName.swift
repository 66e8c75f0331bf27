/// The module and the type path of `type`.
///
/// The runtime puts `(unknown context at $1234).` before the name of a private or function-local type. That address
/// differs from run to run, so it cannot be part of a stable name and is left out.
package func qualifiedName(of type: any Any.Type) -> String {
    let full = String(reflecting: type)
    // Most names have none, and this is asked at each dispatch.
    guard full.utf8.contains(UInt8(ascii: "(")) else { return full }
    var rest = Substring(full)
    var name = ""
    while let start = rest.firstRange(of: "(unknown context at $") {
        name += rest[..<start.lowerBound]
        rest = rest[start.upperBound...]
        guard let end = rest.firstRange(of: ").") else { break }
        rest = rest[end.upperBound...]
    }
    return name + rest
}
